import { z } from 'zod';
import { count, day, decimalText, failure, id, instant, text } from './fields.ts';

/** Stream `syncRun-{tenant}_{uuid}`: one sync of one connection, page by page. */
export const syncRunEvents = {
  SyncRequested: {
    version: 1,
    schema: z.strictObject({
      syncId: id,
      accountId: id,
      bankCode: id,
      environment: z.enum(['demo', 'production']),
      /**
       * The connection's nth sync, from 1; the sync's id is computed from it, so that two requests cannot start two.
       */
      ordinal: z.int().min(1),
      trigger: z.enum(['manual', 'schedule', 'setup']),
      requestedAt: instant,
      from: day.nullable(),
      to: day.nullable(),
    }),
  },
  SyncPlanned: {
    version: 1,
    schema: z.strictObject({
      accountId: id,
      plannedAt: instant,
      requests: count,
      /** Windows in the order in which they are requested; days half open, UTC. */
      windows: z.array(z.strictObject({ subAccountKey: id, fromDay: day, toDay: day })),
      /** What a complete success covers, per sub-account: everything from `fromDay` up to `toDay`. */
      coverage: z.array(z.strictObject({ subAccountKey: id, fromDay: day, toDay: day, toNow: z.boolean() })),
      automation: z.enum(['pending', 'legacy']),
      faults: z.array(z.strictObject({ ...failure, source: text, place: z.string().nullable() })),
      /** What was read although it is not as it should be. */
      notes: z.array(z.strictObject({ ...failure, source: text, place: z.string().nullable() })).exactOptional(),
    }),
  },
  SyncPageIngested: {
    version: 1,
    schema: z.strictObject({
      accountId: id,
      page: z.int().min(1),
      /** 0-based index into the planned windows. */
      window: count,
      bankCode: id,
      subAccountKey: id,
      cursor: text.nullable(),
      nextCursor: text.nullable(),
      requests: count,
      fetched: count,
      inserted: count,
      duplicates: count,
      conflicts: count,
      withdrawn: count,
      /**
       * Rows whose stamp was computed; when there are any, a resumed window is walked again from its start to count
       * ordinals.
       */
      contentStamped: count,
      statedBalances: z.array(
        z.strictObject({ fromDay: day, toDay: day, opening: decimalText, closing: decimalText, net: decimalText }),
      ),
      faults: z.array(z.strictObject({ ...failure, source: text, place: z.string().nullable() })),
      /** What was read although it is not as it should be. */
      notes: z.array(z.strictObject({ ...failure, source: text, place: z.string().nullable() })).exactOptional(),
      ingestedAt: instant,
    }),
  },
  SyncAttemptFailed: {
    version: 1,
    schema: z.strictObject({
      accountId: id,
      attempt: z.int().min(1),
      failedAt: instant,
      nextAttemptAt: instant,
      requests: count,
      ...failure,
    }),
  },
  SyncCancelRequested: { version: 1, schema: z.strictObject({ accountId: id, requestedAt: instant }) },
  SyncCompleted: {
    version: 1,
    schema: z.strictObject({
      accountId: id,
      completedAt: instant,
      durationMs: count,
      requests: count,
      /** Those of `requests` that no earlier event has counted. */
      lastRequests: count.exactOptional(),
      balances: z.array(
        z.strictObject({
          subAccountKey: id,
          balance: decimalText,
          /** False when the bank stated no balance and `balance` is a stand-in of 0; absent when it stated one. */
          balanceStated: z.literal(false).exactOptional(),
          availableBalance: decimalText.nullable(),
          blockedBalance: decimalText.nullable(),
        }),
      ),
    }),
  },
  SyncFailed: {
    version: 1,
    schema: z.strictObject({
      accountId: id,
      failedAt: instant,
      durationMs: count,
      requests: count,
      /** Those of `requests` that no earlier event has counted. */
      lastRequests: count.exactOptional(),
      kind: z.enum(['transient', 'rate-limited', 'credentials-rejected', 'permanent']),
      nextAllowedAt: instant.nullable(),
      source: text.nullable(),
      place: z.string().nullable(),
      ...failure,
    }),
  },
  SyncCancelled: {
    version: 1,
    schema: z.strictObject({ accountId: id, cancelledAt: instant, durationMs: count, requests: count }),
  },
} as const;
