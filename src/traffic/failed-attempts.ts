import { isIPv4, isIPv6 } from 'node:net';
import type { Clock } from '../shared/clock.ts';

const WINDOW_MS = 60_000;
const GOOD_FOR_MS = 60_000;
const ADDRESSES_KEPT = 10_000;
const CREDENTIALS_KEPT = 10_000;
const LONGEST_ADDRESS = 64;

/**
 * Limits guessing by address, in each instance separately and before credentials are checked. An address may be shared
 * by a whole office: so credentials that were accepted within the last minute are checked even if another client has
 * used up the attempts, and credentials that became invalid a moment ago (expired or revoked) do not count as guesses.
 */
export type FailedAttempts = {
  /** Seconds until the address may try again; null when it may now. `credentials` is a digest of them. */
  readonly barredFor: (address: string, credentials: string) => number | null;
  readonly failed: (address: string, credentials: string) => void;
  readonly succeeded: (credentials: string) => void;
};

/**
 * What counts as one address: an IPv4 address, or the /64 of an IPv6 address, all of which one subscriber usually has.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIPv4(plain) || !isIPv6(plain)) return plain.slice(0, LONGEST_ADDRESS);
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

export function createFailedAttempts(options: { perMinute: number; clock: Clock }): FailedAttempts {
  const { perMinute, clock } = options;
  let windowMs = 0;
  let failures = new Map<string, number>();
  const goodUntilMs = new Map<string, number>();

  function failuresNow(): Map<string, number> {
    const now = Math.floor(clock.now() / WINDOW_MS) * WINDOW_MS;
    if (now !== windowMs) {
      windowMs = now;
      failures = new Map();
    }
    return failures;
  }

  const wasGood = (credentials: string): boolean => (goodUntilMs.get(credentials) ?? 0) > clock.now();

  return {
    barredFor(address, credentials) {
      if ((failuresNow().get(networkOf(address)) ?? 0) < perMinute || wasGood(credentials)) return null;
      return Math.ceil((WINDOW_MS - (clock.now() % WINDOW_MS)) / 1000);
    },
    failed(address, credentials) {
      if (wasGood(credentials)) return;
      const network = networkOf(address);
      const counts = failuresNow();
      const before = counts.get(network) ?? 0;
      makeRoom(counts, network, ADDRESSES_KEPT);
      counts.set(network, before + 1);
    },
    succeeded(credentials) {
      makeRoom(goodUntilMs, credentials, CREDENTIALS_KEPT);
      goodUntilMs.set(credentials, clock.now() + GOOD_FOR_MS);
    },
  };
}

/** The key moves to the end of the map, and the oldest one is dropped when the map is full. */
function makeRoom(map: Map<string, unknown>, key: string, size: number): void {
  map.delete(key);
  const oldest = map.keys().next();
  if (map.size >= size && !oldest.done) map.delete(oldest.value);
}
