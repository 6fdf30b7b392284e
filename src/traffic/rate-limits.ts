import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import type { Clock } from '../shared/clock.ts';

/** What all instances together have used of a caller's window. `_position` is the same number, since it only grows. */
const RATE_WINDOWS: CollectionSpec = { name: 'rate_windows', indexes: [{ fields: ['endsAtMs'] }], isState: true };

type RateWindow = Document & { readonly taken: number; readonly endsAtMs: number };

/** Windows are fixed and begin with the minute of the clock. */
export const WINDOW_MS = 60_000;
/**
 * One block is at most this part of what is left, so that little remains unused at an instance without further
 * requests.
 */
const BLOCK_PART = 20;
/** Clocks of instances may differ, and old windows are not needed. */
const KEPT_FOR_MS = 10 * WINDOW_MS;
const SWEPT_AT_ONCE = 500;

export type Allowance = {
  readonly admitted: boolean;
  readonly limit: number;
  /** As far as this instance knows. */
  readonly remaining: number;
  /** Until the window ends, rounded up. */
  readonly resetSeconds: number;
};

/** A promise only where another block must be fetched. A refused request uses nothing. */
export type RateLimits = { readonly take: (caller: string) => Allowance | Promise<Allowance> };

type Share = {
  /** Granted to this instance in all, and used of that. */
  granted: number;
  used: number;
  /** Of the window, beyond what was granted here; as last seen. */
  left: number;
  fetching: Promise<void> | null;
};

type Grant = { readonly granted: number; readonly left: number };
type FetchBlock = (caller: string, windowMs: number, share: Share) => Promise<Grant>;

export function createRateLimits(options: { limit: number; clock: Clock; fetchBlock: FetchBlock | null }): RateLimits {
  const { limit, clock, fetchBlock } = options;
  let windowMs = 0;
  let shares = new Map<string, Share>();

  function shareOf(caller: string): Share {
    const now = Math.floor(clock.now() / WINDOW_MS) * WINDOW_MS;
    if (now !== windowMs) {
      windowMs = now;
      shares = new Map();
    }
    const known = shares.get(caller);
    if (known !== undefined) return known;
    const whole = fetchBlock === null;
    const share: Share = { granted: whole ? limit : 0, used: 0, left: whole ? 0 : limit, fetching: null };
    shares.set(caller, share);
    return share;
  }

  function answer(share: Share, admitted: boolean): Allowance {
    const remaining = Math.max(0, share.granted - share.used + share.left);
    const untilMs = WINDOW_MS - (clock.now() % WINDOW_MS);
    return { admitted, limit, remaining, resetSeconds: Math.ceil(untilMs / 1000) };
  }

  function takeHere(share: Share): Allowance | null {
    if (share.used < share.granted) {
      share.used += 1;
      return answer(share, true);
    }
    return fetchBlock === null || share.left <= 0 ? answer(share, false) : null;
  }

  async function fetchMore(fetch: FetchBlock, caller: string, share: Share, ofWindowMs: number): Promise<void> {
    const { granted, left } = await fetch(caller, ofWindowMs, share);
    share.granted += granted;
    share.left = left;
    share.fetching = null;
  }

  return {
    take(caller) {
      const share = shareOf(caller);
      const taken = takeHere(share);
      if (taken !== null || fetchBlock === null) return taken ?? answer(share, false);
      const ofWindowMs = windowMs;
      return (async () => {
        for (;;) {
          // All waiting requests wait for the same block.
          share.fetching ??= fetchMore(fetchBlock, caller, share, ofWindowMs);
          await share.fetching;
          const now = takeHere(share);
          if (now !== null) return now;
        }
      })();
    },
  };
}

/**
 * For instances that share a read store: each takes blocks of a caller's window by compare-and-set, so that together
 * they never admit more than the limit (ADR 0014). While the store is unavailable each instance counts alone, up to the
 * whole limit: answering matters more than an exact limit.
 */
export async function openSharedRateLimits(options: {
  limit: number;
  clock: Clock;
  readStore: ReadStore;
  logger: { readonly warn: (fields: Record<string, unknown>, message: string) => void };
}): Promise<RateLimits> {
  const { limit, clock, readStore, logger } = options;
  await readStore.ensureCollection(RATE_WINDOWS);
  const windows: Collection<RateWindow> = readStore.collection(RATE_WINDOWS);
  let sweptMs = 0;
  let away = false;

  async function takeBlock(caller: string, windowMs: number): Promise<Grant> {
    const _id = `${caller} ${windowMs}`;
    // Each failure means that another instance has taken a block, so the loop ends.
    for (;;) {
      const found = await windows.get(_id);
      const left = limit - (found?.taken ?? 0);
      if (left <= 0) return { granted: 0, left: 0 };
      const granted = Math.max(1, Math.floor(left / BLOCK_PART));
      const taken = limit - left + granted;
      const _position = String(taken).padStart(12, '0');
      const next: RateWindow = { _id, _position, taken, endsAtMs: windowMs + WINDOW_MS };
      if (await windows.compareAndSet(next, found?._position ?? null)) return { granted, left: left - granted };
    }
  }

  async function sweep(nowMs: number): Promise<void> {
    if (nowMs < sweptMs + WINDOW_MS) return;
    sweptMs = nowMs;
    const old = await windows.find({
      filter: [{ field: 'endsAtMs', op: 'lt', value: nowMs - KEPT_FOR_MS }],
      sort: [{ field: 'endsAtMs', direction: 'asc' }],
      limit: SWEPT_AT_ONCE,
    });
    await windows.deleteMany(old.map(({ _id }) => _id));
  }

  return createRateLimits({
    limit,
    clock,
    async fetchBlock(caller, windowMs, share) {
      try {
        const grant = await takeBlock(caller, windowMs);
        // Not awaited; what it leaves the next one deletes.
        void sweep(clock.now()).catch(() => undefined);
        away = false;
        return grant;
      } catch (err) {
        if (!away) logger.warn({ err }, 'the read store cannot count requests; each instance counts its own');
        away = true;
        return { granted: limit - share.granted, left: 0 };
      }
    },
  });
}
