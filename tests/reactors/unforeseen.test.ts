import { describe, expect, it } from 'vitest';
import { ConcurrencyError } from '../../src/commands/command.ts';
import { AppendTooLarge, LogUnavailable } from '../../src/log/log.ts';
import { ProviderError } from '../../src/providers/bank-provider.ts';
import { recordable } from '../../src/reactors/syncs/unforeseen.ts';
import { ReadStoreUnavailable } from '../../src/readstore/read-store.ts';

const logger = { info: () => {}, warn: () => {}, error: () => {} };
const going = new AbortController().signal;

describe('the recorded failure of an error', () => {
  it('is the provider’s own', () => {
    const error = new ProviderError('transient', 'PROVIDER_TIMEOUT', 'late');
    expect(recordable(error, going, logger, 'sync')).toBe(error);
  });

  it('is a code for an unforeseen error, without its text', () => {
    const failure = recordable(new AppendTooLarge(2_000_000), going, logger, 'sync');
    expect(failure).toMatchObject({ kind: 'permanent', code: 'SYNC_FAULT' });
    expect(failure.message).not.toContain('2000000');
  });

  it('is logged with its trace, masked', () => {
    const lines: unknown[] = [];
    const noting = { ...logger, error: (fields: Record<string, unknown>) => lines.push(fields) };
    recordable(new Error('no hunter2'), going, noting, 'sync', (text) => text.replaceAll('hunter2', '[masked]'));
    expect(JSON.stringify(lines)).toMatch(/no \[masked\]/);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it.each([new LogUnavailable('x'), new ReadStoreUnavailable('x'), new ConcurrencyError('x')])(
    'is nothing when it will pass: %s',
    (error) => {
      expect(() => recordable(error, going, logger, 'sync')).toThrow(error);
    },
  );

  it('is nothing when the worker was stopped', () => {
    const error = new Error('anything');
    expect(() => recordable(error, AbortSignal.abort(), logger, 'sync')).toThrow(error);
  });
});
