import { type HistoryEntry, history } from '../../projections/history.ts';
import type { Projection } from '../../projections/projection.ts';
import { asHistory, firstOfHistory } from '../../queries/history.ts';
import type { Collection, Document } from '../../readstore/read-store.ts';

type SettledReads = {
  readonly of: (
    projections: readonly Projection[],
  ) => Promise<
    readonly { readonly version: number; readonly collection: Collection<Document>; readonly position: string }[]
  >;
};

export type EventSlice = {
  readonly events: readonly HistoryEntry[];
  /** Everything up to here has been looked at. */
  readonly position: string;
};

/**
 * The events of a tenant in log order, for all of its webhooks: those that have caught up share what was read last, so
 * a thousand webhooks cost one read.
 */
export type TenantEvents = { readonly after: (position: string) => Promise<EventSlice> };

const READ = 500;
const SHARED = 4_000;

export function openTenantEvents(settledReads: SettledReads, tenantId: string): TenantEvents {
  let shared: HistoryEntry[] = [];
  /** What is shared begins after this position, and ends at the other. */
  let from: string | undefined;
  let to = '';
  let reading: Promise<void> | undefined;

  async function read(after: string): Promise<readonly HistoryEntry[]> {
    const [settled] = await settledReads.of([history as unknown as Projection]);
    if (settled === undefined || settled.position <= after) return [];
    const { position: upTo, ...version } = settled;
    const asked = { tenantId, companies: null, direction: 'asc', after, upTo } as const;
    return firstOfHistory(asHistory({ ...version, settled: async () => upTo }), asked, READ);
  }

  async function readOn(): Promise<void> {
    const found = await read(to);
    const last = found.at(-1);
    if (last === undefined) return;
    shared.push(...found);
    to = last.position;
    const dropped = shared.length - SHARED;
    if (dropped <= 0) return;
    from = shared[dropped - 1]?.position ?? from;
    shared = shared.slice(dropped);
  }

  function sharedAfter(position: string): EventSlice {
    const start = shared.findLastIndex((event) => event.position <= position) + 1;
    return { events: shared.slice(start, start + READ), position: shared.at(start + READ - 1)?.position ?? to };
  }

  return {
    async after(position) {
      if (from === undefined || position > to) {
        // The first one, or one that starts later than what is shared: the others follow from there.
        shared = [];
        from = position;
        to = position;
      }
      if (position < from) {
        const events = await read(position);
        return { events, position: events.at(-1)?.position ?? position };
      }
      if (position === to) {
        reading ??= readOn().finally(() => {
          reading = undefined;
        });
        await reading;
        // Another webhook may have begun anew meanwhile.
        if (from === undefined || position < from) return this.after(position);
      }
      return sharedAfter(position);
    },
  };
}
