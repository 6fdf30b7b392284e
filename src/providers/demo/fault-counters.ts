import { dropOldest } from '../../shared/drop-oldest.ts';
import { sha256 } from '../../shared/hash.ts';
import { ProviderError } from '../bank-provider.ts';
import type { FailureStep, FaultScript } from './fault-script.ts';

/** The current request: its operation, and for a page its account, window and number. */
export type Asked =
  | { readonly operation: 'accounts' }
  | {
      readonly operation: 'page';
      readonly account: string;
      readonly window: string;
      readonly page: number;
    };

/** How many counters are kept. Beyond that the least recently used are dropped, and a script starts over there. */
const KEPT = 10_000;

export type FaultCounters = {
  /** The number of this request, from 1, among those of its connection, script and operation. */
  readonly next: (connection: string, script: FaultScript, asked: Asked) => number;
  /** @throws ProviderError when the step makes this request fail */
  readonly fail: (connection: string, script: FaultScript, step: FailureStep, asked: Asked, request: number) => void;
};

/** Counts the requests that failures depend on; bounded, in memory only. */
export function openFaultCounters(): FaultCounters {
  const counts = new Map<string, number>();

  function increment(...parts: readonly string[]): number {
    const key = sha256(parts.join('\u0000'));
    const count = (counts.get(key) ?? 0) + 1;
    counts.delete(key);
    counts.set(key, count);
    dropOldest(counts, KEPT);
    return count;
  }

  return {
    next: (connection, script, { operation }) => increment(connection, JSON.stringify(script), operation),
    fail: (connection, script, step, asked, request) => {
      if (!applies(step.at, asked)) return;
      const { attempts = 1, request: first } = step.at;
      if (first !== undefined) {
        if (request >= first && request < first + attempts) throw failure(step);
        return;
      }
      const place = JSON.stringify([script.steps.indexOf(step), asked]);
      if (increment(connection, JSON.stringify(script), place) <= attempts) throw failure(step);
    },
  };
}

/** Whether a step applies to this request, regardless of its `request` and `attempts`. */
export function applies(at: FailureStep['at'], asked: Asked): boolean {
  if (at.operation !== asked.operation) return false;
  if (at.operation === 'accounts' || asked.operation === 'accounts') return true;
  return (at.page ?? asked.page) === asked.page && (at.account ?? asked.account) === asked.account;
}

function failure(step: FailureStep): ProviderError {
  switch (step.do) {
    case 'time-out':
      return new ProviderError('transient', 'PROVIDER_TIMEOUT', 'the demo bank did not answer in time');
    case 'unavailable':
      return new ProviderError('transient', 'PROVIDER_UNAVAILABLE', 'the demo bank is down for maintenance');
    case 'rate-limit':
      return new ProviderError(
        'rate-limited',
        'PROVIDER_RATE_LIMITED',
        'the demo bank asks to wait',
        step.retryAfterMs,
      );
    case 'reject-credentials':
      return new ProviderError(
        'credentials-rejected',
        'PROVIDER_CREDENTIALS_REJECTED',
        'the demo bank refuses the credentials',
      );
  }
}
