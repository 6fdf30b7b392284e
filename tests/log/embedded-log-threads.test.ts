import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { newLogMemory } from '../../src/log/embedded/log-sharing.ts';
import { LOG_START, LogUnavailable } from '../../src/log/log.ts';
import { openLogInTwoThreads } from '../support/threads/log-in-two-threads.ts';
import { codec, newTenant, noted, readTenant, stream } from './fixtures.ts';
import { describeLogContract } from './log-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'log-threads-'));
const newFile = (): string => join(folder, randomUUID());

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeLogContract(
  'embedded log in two threads',
  async (chosen) => openLogInTwoThreads(join(folder, 'contract'), chosen),
  async (chosen) => ({ log: openLogInTwoThreads(newFile(), chosen), subscribed: async () => {} }),
);

describe('an embedded log that two threads append to at once', () => {
  it('is one chain without gaps, and no append waits for a lock of the file', async () => {
    const file = newFile();
    const tenant = newTenant();
    const log = openLogInTwoThreads(file, codec);
    const appender = async (): Promise<void> => {
      const name = stream(tenant);
      for (let revision = 0; revision < 60; revision += 1) {
        const expected = revision === 0 ? 'no-stream' : revision - 1;
        const result = await log.append({ stream: name, expected, events: [noted(tenant, `${revision}`)] });
        expect(result).toMatchObject({ outcome: 'appended', revision });
      }
    };
    await Promise.all(Array.from({ length: 16 }, appender));
    expect(await readTenant(log, tenant, LOG_START)).toHaveLength(960);
    await log.close();
    const alone = openEmbeddedLog({ file, codec });
    expect(await alone.verify()).toEqual({ events: 960 });
    await alone.close();
  });

  it('lets one of them win where both append at the same revision', async () => {
    const log = openLogInTwoThreads(newFile(), codec);
    const tenant = newTenant();
    for (let round = 0; round < 50; round += 1) {
      const name = stream(tenant);
      const append = () => log.append({ stream: name, expected: 'no-stream', events: [noted(tenant, 'mine')] });
      const outcomes = (await Promise.all([append(), append()])).map(({ outcome }) => outcome).sort();
      expect(outcomes).toEqual(['appended', 'conflict']);
    }
    await log.close();
  });
});

describe('an embedded log that the threads of a process share', () => {
  const shared = () => ({ shared: { memory: newLogMemory(), first: true } });

  it('is in use for everybody else, whether they share it or not', async () => {
    const file = newFile();
    const log = openEmbeddedLog({ file, codec, ...shared() });
    for (const others of [{}, shared()]) {
      expect(() => openEmbeddedLog({ file, codec, ...others })).toThrow(LogUnavailable);
      expect(() => openEmbeddedLog({ file, codec, ...others })).toThrow(/another process/);
    }
    await log.close();
    const next = openEmbeddedLog({ file, codec });
    expect(() => openEmbeddedLog({ file, codec, ...shared() })).toThrow(/another process/);
    await next.close();
  });
});
