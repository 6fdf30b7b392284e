import { nextPosition } from '../readstore/counted-position.ts';
import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import type { Clock } from '../shared/clock.ts';

const LOGIN_ATTEMPTS: CollectionSpec = {
  name: 'login_attempts',
  indexes: [{ fields: ['forgottenAtMs'] }],
  isState: true,
};

type Attempts = Document & {
  /** The attempts within the last 15 minutes, epoch milliseconds, oldest first; as many as affect the delay. */
  readonly atMs: readonly number[];
  /** When the delay of the last admitted attempt ends. */
  readonly freeAtMs: number;
  readonly forgottenAtMs: number;
};

const REMEMBERED_FOR_MS = 15 * 60_000;
const FREE_ATTEMPTS = 5;
const WAITS_MS = [1_000, 2_000, 4_000, 8_000] as const;
const LONGEST_WAIT_MS = 10_000;
const SWEEP_EVERY_MS = 60_000;
const SWEPT_AT_ONCE = 500;
const TRIES = 32;

/**
 * How long to wait before the password is checked; or that too many attempts wait, and when to retry. `atMs`: when the
 * attempt was admitted, epoch milliseconds.
 */
export type Admission =
  | { readonly admitted: true; readonly atMs: number; readonly waitMs: number }
  | { readonly admitted: false; readonly retryAfterMs: number };

/**
 * Limits guessing for each name, over all instances. An attempt counts from its admission, not from its failure, and
 * its delay begins after the delays of those before it: a hundred guesses at once are no faster than a hundred in
 * sequence.
 */
export type LoginAttempts = {
  readonly admit: (name: string) => Promise<Admission>;
  /**
   * After a success: that attempt no longer counts. Others do: whoever knows one password of a name that several users
   * have must not get new attempts at the others by it.
   */
  readonly takeBack: (name: string, admission: { readonly atMs: number }) => Promise<void>;
};

export async function openLoginAttempts(readStore: ReadStore, clock: Clock): Promise<LoginAttempts> {
  await readStore.ensureCollection(LOGIN_ATTEMPTS);
  const attempts: Collection<Attempts> = readStore.collection(LOGIN_ATTEMPTS);
  let sweepAtMs = 0;

  const after = (before: Attempts | undefined, name: string, then: Omit<Attempts, '_id' | '_position'>): Attempts => ({
    _id: name,
    _position: nextPosition(before?._position),
    ...then,
  });

  /** Deletes names that are no longer tried, including invented ones. */
  async function sweep(nowMs: number): Promise<void> {
    if (nowMs < sweepAtMs) return;
    sweepAtMs = nowMs + SWEEP_EVERY_MS;
    const old = await attempts.find({
      filter: [{ field: 'forgottenAtMs', op: 'lt', value: nowMs }],
      sort: [{ field: 'forgottenAtMs', direction: 'asc' }],
      limit: SWEPT_AT_ONCE,
    });
    await attempts.deleteMany(old.map(({ _id }) => _id));
  }

  return {
    async admit(name) {
      await sweep(clock.now());
      for (let tries = 0; tries < TRIES; tries += 1) {
        const nowMs = clock.now();
        const before = await attempts.get(name);
        const recent = (before?.atMs ?? []).filter((atMs) => atMs > nowMs - REMEMBERED_FOR_MS);
        const slowed = recent.length - FREE_ATTEMPTS;
        const ownWaitMs = slowed < 0 ? 0 : (WAITS_MS[Math.min(slowed, WAITS_MS.length - 1)] ?? 0);
        const freeAtMs = slowed < 0 ? nowMs : Math.max(nowMs, before?.freeAtMs ?? 0) + ownWaitMs;
        const waitMs = freeAtMs - nowMs;
        if (waitMs > LONGEST_WAIT_MS) return { admitted: false, retryAfterMs: waitMs - LONGEST_WAIT_MS };
        const atMs = [...recent, nowMs].slice(-(FREE_ATTEMPTS + WAITS_MS.length));
        const then = after(before, name, { atMs, freeAtMs, forgottenAtMs: freeAtMs + REMEMBERED_FOR_MS });
        if (await attempts.compareAndSet(then, before?._position ?? null))
          return { admitted: true, atMs: nowMs, waitMs };
      }
      return { admitted: false, retryAfterMs: WAITS_MS[0] };
    },
    async takeBack(name, admission) {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const before = await attempts.get(name);
        const index = before?.atMs.indexOf(admission.atMs) ?? -1;
        if (before === undefined || index < 0) return;
        const { freeAtMs, forgottenAtMs } = before;
        const atMs = before.atMs.toSpliced(index, 1);
        const then = after(before, name, { atMs, freeAtMs, forgottenAtMs });
        if (await attempts.compareAndSet(then, before._position)) return;
      }
    },
  };
}
