import { sleep } from '../../shared/retry.ts';

/** Called with the tenants of new documents or events and their position; null for every tenant. */
type OnChanged = (tenantIds: Iterable<string> | null, position: string) => void;

/** Where notices come from. Called with the first watcher; the signal aborts after the last one. */
export type ListenForChanges = (onChanged: OnChanged, signal: AbortSignal) => void;

export type TenantWatch = {
  /**
   * Resolves when the tenant's read models have changed since the last call, at once if they have already; also when
   * the time is up or the signal aborts. Two calls are some milliseconds apart.
   */
  readonly next: (timeoutMs: number, signal: AbortSignal) => Promise<void>;
  readonly end: () => void;
};

/** Notices of what changed, shared by everybody in this process who waits: waiting costs the stores nothing. */
export type TenantChanges = { readonly watch: (tenantId: string) => TenantWatch };

/** A tenant that changes all the time is looked at this often. */
const APART_MS = 50;

type Watcher = { changed: boolean; wake: () => void };

/**
 * @param options.settled resolves when the read models contain what was noticed: a watcher that looked before would
 * find nothing, and not be woken again
 */
export function createTenantChanges(options: {
  readonly listen: ListenForChanges;
  readonly settled: (position: string) => Promise<unknown>;
}): TenantChanges {
  const watchers = new Map<string, Set<Watcher>>();
  let listening: AbortController | undefined;
  let noticed = new Set<string>();
  let latest = '';
  let settling = false;

  function onChanged(tenantIds: Iterable<string> | null, position: string): void {
    for (const tenantId of tenantIds ?? watchers.keys()) if (watchers.has(tenantId)) noticed.add(tenantId);
    if (noticed.size === 0) return;
    if (position > latest) latest = position;
    if (!settling) void settle();
  }

  async function settle(): Promise<void> {
    settling = true;
    while (noticed.size > 0) {
      const tenantIds = noticed;
      noticed = new Set();
      // Where the read models take longer, the watchers look, and what comes later wakes them again.
      await options.settled(latest).catch(() => undefined);
      for (const tenantId of tenantIds) for (const watcher of watchers.get(tenantId) ?? []) wake(watcher);
    }
    settling = false;
  }

  return {
    watch(tenantId) {
      const watcher: Watcher = { changed: false, wake: () => {} };
      const own = watchers.get(tenantId) ?? new Set();
      watchers.set(tenantId, own.add(watcher));
      if (listening === undefined) {
        listening = new AbortController();
        options.listen(onChanged, listening.signal);
      }
      let lookedAtMs = Number.NEGATIVE_INFINITY;
      return {
        async next(timeoutMs, signal) {
          if (!watcher.changed) await woken(watcher, timeoutMs, signal);
          const apartMs = lookedAtMs + APART_MS - performance.now();
          if (apartMs > 0) await sleep(apartMs, signal);
          lookedAtMs = performance.now();
          watcher.changed = false;
        },
        end() {
          own.delete(watcher);
          if (own.size === 0 && watchers.get(tenantId) === own) watchers.delete(tenantId);
          if (watchers.size > 0) return;
          listening?.abort();
          listening = undefined;
        },
      };
    },
  };
}

function wake(watcher: Watcher): void {
  watcher.changed = true;
  watcher.wake();
}

function woken(watcher: Watcher, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(finish, timeoutMs);
    signal.addEventListener('abort', finish, { once: true });
    watcher.wake = finish;
    if (signal.aborted) finish();
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      watcher.wake = () => {};
      done();
    }
  });
}
