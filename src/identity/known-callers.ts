import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { LOG_START } from '../log/log.ts';
import type { LogLink } from '../log/log-link.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Clock } from '../shared/clock.ts';
import type { Caller } from './caller.ts';

/** How long a verification counts without looking at the log again: a revocation takes effect within a second. */
const TRUSTED_FOR_MS = 500;
const MOST = 20_000;
const MOST_OF_TENANT = 2_000;

/** What a verification found. */
export type Verified = {
  readonly caller: Caller;
  /** Epoch milliseconds at which the credentials end by themselves; null for those that do not. */
  readonly endsAtMs: number | null;
  /** The streams it was folded from, the one with the read model of its subject first. */
  readonly streams: readonly [string, ...string[]];
  /** Of the last event of the first of them. */
  readonly position: string;
};

type Known = Verified & {
  readonly trustedUntilMs: number;
  /** Of the monotonic clock. */
  readonly verifiedAtMs: number;
};

export type KnownCallers = {
  /** The caller of a verification of the last half second, else of a new one; null where that finds none. */
  readonly callerOf: (credentials: string, verify: () => Promise<Verified | null>) => Promise<Caller | null>;
  /**
   * The verification that counts while the log is away: made at most so long before its last answer. Null while the log
   * is not known to be away, and for credentials that have ended since.
   */
  readonly withoutLog: (credentials: string) => Verified | null;
};

/**
 * The callers verified last, by a keyed hash of their credentials. A tenant has a bounded number of places, and when
 * all are taken, the tenant with the most gives one up (ADR 0034).
 */
export function createKnownCallers(options: {
  readonly link: Pick<LogLink, 'isDown' | 'lastAnswerMs' | 'onAppended'>;
  readonly clock: Clock;
  /** How long before the last answer of the log a verification may be; 0: none counts. */
  readonly readWithoutLogMs: number;
  /** Ages must not depend on a clock that can be set. */
  readonly monotonicMs?: () => number;
  readonly most?: number;
  readonly mostOfTenant?: number;
}): KnownCallers {
  const { link, clock, readWithoutLogMs, most = MOST, mostOfTenant = MOST_OF_TENANT } = options;
  const { monotonicMs = () => performance.now() } = options;
  // Of this process only, so that nobody can compute what is in its memory from credentials they try.
  const key = createSecretKey(randomBytes(32));
  /** By tenant, each with its entries in the order of their verification, the oldest first. */
  const tenants = new Map<string, Map<string, Known>>();
  const tenantOf = new Map<string, string>();
  /** For each verification in progress, the streams appended to since it began. */
  const changedDuring = new Set<Set<string>>();

  function forget(name: string): void {
    const tenantId = tenantOf.get(name);
    if (tenantId === undefined) return;
    tenantOf.delete(name);
    const entries = tenants.get(tenantId);
    entries?.delete(name);
    if (entries?.size === 0) tenants.delete(tenantId);
  }

  function forgetOldestOf(tenantId: string): void {
    const [oldest] = tenants.get(tenantId)?.keys() ?? [];
    if (oldest !== undefined) forget(oldest);
  }

  function largestTenant(): string {
    let largest = '';
    let size = 0;
    for (const [tenantId, entries] of tenants) {
      if (entries.size > size) [largest, size] = [tenantId, entries.size];
    }
    return largest;
  }

  function remember(name: string, known: Known): void {
    const { tenantId } = known.caller;
    forget(name);
    if ((tenants.get(tenantId)?.size ?? 0) >= mostOfTenant) forgetOldestOf(tenantId);
    else if (tenantOf.size >= most) forgetOldestOf(largestTenant());
    const entries = tenants.get(tenantId) ?? new Map<string, Known>();
    tenants.set(tenantId, entries.set(name, known));
    tenantOf.set(name, tenantId);
  }

  function knownAs(name: string): Known | undefined {
    return tenants.get(tenantOf.get(name) ?? '')?.get(name);
  }

  link.onAppended((stream) => {
    const { category, tenantId } = parseStreamName(stream);
    if (category !== 'apiKey' && category !== 'user' && category !== 'session') return;
    for (const changed of changedDuring) changed.add(stream);
    for (const [name, { streams }] of tenants.get(tenantId) ?? []) if (streams.includes(stream)) forget(name);
  });

  const nameOf = (credentials: string): string => createHmac('sha256', key).update(credentials).digest('base64');

  return {
    async callerOf(credentials, verify) {
      const name = nameOf(credentials);
      const known = knownAs(name);
      const nowMs = clock.now();
      if (known !== undefined && isTrusted(known, nowMs)) return known.caller;
      const verifiedAtMs = monotonicMs();
      const changed = new Set<string>();
      changedDuring.add(changed);
      const verified = await verify().finally(() => changedDuring.delete(changed));
      // A stream that changed meanwhile may have been read before: then it is read again next time.
      if (verified === null || verified.streams.some((stream) => changed.has(stream))) forget(name);
      else {
        const ends = verified.endsAtMs ?? Number.POSITIVE_INFINITY;
        remember(name, { ...verified, verifiedAtMs, trustedUntilMs: Math.min(nowMs + TRUSTED_FOR_MS, ends) });
      }
      return verified?.caller ?? null;
    },
    withoutLog(credentials) {
      const known = knownAs(nameOf(credentials));
      const lastAnswerMs = link.lastAnswerMs();
      if (known === undefined || readWithoutLogMs === 0 || !link.isDown() || lastAnswerMs === undefined) return null;
      if (known.verifiedAtMs < lastAnswerMs - readWithoutLogMs) return null;
      return known.endsAtMs !== null && known.endsAtMs <= clock.now() ? null : known;
    },
  };

  function isTrusted({ trustedUntilMs }: Known, nowMs: number): boolean {
    // A clock that was set back must not prolong it.
    return trustedUntilMs > nowMs && trustedUntilMs - TRUSTED_FOR_MS <= nowMs;
  }
}

/** The position of the last of the events, LOG_START without any. */
export function lastPosition(events: readonly { readonly position: string }[]): string {
  return events.at(-1)?.position ?? LOG_START;
}
