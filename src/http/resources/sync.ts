import type { SyncRunDocument } from '../../projections/sync-runs.ts';
import type { SetupRun } from '../../queries/ended-attempt.ts';
import { z } from '../core/zod.ts';
import { instant, withoutNulls } from './instants.ts';

const counts = {
  fetched: z.int().min(0),
  inserted: z.int().min(0),
  duplicates: z.int().min(0),
  conflicts: z.int().min(0),
  withdrawn: z.int().min(0),
};

const faultSchema = z
  .strictObject({ code: z.string(), message: z.string(), source: z.string().optional(), place: z.string().optional() })
  .openapi('SyncFault');

export const syncSchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    accountId: z.string(),
    ordinal: z.int().min(1),
    trigger: z.enum(['manual', 'schedule', 'setup']),
    status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']),
    cancelRequested: z.boolean(),
    from: z.string().optional(),
    to: z.string().optional(),
    windows: z.array(z.strictObject({ subAccountKey: z.string(), from: z.string(), to: z.string() })),
    pages: z.int().min(0),
    requests: z.int().min(0),
    attempts: z.int().min(0),
    nextAttemptAt: instant.optional(),
    counts: z.strictObject(counts),
    subAccounts: z.array(z.strictObject({ subAccountKey: z.string(), pages: z.int(), ...counts })),
    faults: z.array(faultSchema).openapi({ description: 'What could not be read, at most 1,000.' }),
    notes: z.array(faultSchema).openapi({ description: 'Irregularities in data that was accepted; at most 100.' }),
    error: faultSchema.optional(),
    requestedAt: instant,
    startedAt: instant.optional(),
    endedAt: instant.optional(),
    durationMs: z.int().optional(),
    requestedBy: z.string(),
  })
  .openapi('Sync');

const NO_COUNTS = { fetched: 0, inserted: 0, duplicates: 0, conflicts: 0, withdrawn: 0 };

/** A setup in the form of a sync that fetched nothing. */
export function setupResource(setup: SetupRun): z.input<typeof syncSchema> {
  return syncResource({
    ...setup,
    _id: '',
    _position: '',
    recordedPosition: '',
    changedAt: setup.requestedAt,
    tenantId: '',
    bankCode: '',
    open: setup.endedAt === null,
    from: null,
    to: null,
    startedAt: setup.requestedAt,
    nextAttemptAt: null,
    attempts: 0,
    cancelRequested: false,
    pages: 0,
    counts: NO_COUNTS,
    windows: [],
    subAccounts: [],
    faults: [],
    notes: [],
    correlationId: '',
  });
}

function faultResource(fault: { code: string; message: string; source: string | null; place: string | null }) {
  const { code, message, source, place } = fault;
  return { code, message, ...withoutNulls({ source, place }) };
}

export function syncResource(sync: SyncRunDocument): z.input<typeof syncSchema> {
  const { id, companyId, accountId, ordinal, trigger, status, cancelRequested, from, to, windows } = sync;
  const { pages, requests, attempts, nextAttemptAt, counts: sum, subAccounts, faults, notes, error } = sync;
  const { requestedAt, startedAt, endedAt, durationMs, requestedBy } = sync;
  return {
    id,
    companies: companyId,
    accountId,
    ordinal,
    trigger,
    status,
    cancelRequested,
    ...withoutNulls({ from, to }),
    windows: windows.map((window) => ({ subAccountKey: window.subAccountKey, from: window.fromDay, to: window.toDay })),
    pages,
    requests,
    attempts,
    counts: sum,
    subAccounts: [...subAccounts],
    faults: faults.map(faultResource),
    notes: notes.map(faultResource),
    ...withoutNulls({ nextAttemptAt, error: error === null ? null : faultResource(error) }),
    requestedAt,
    ...withoutNulls({ startedAt, endedAt, durationMs }),
    requestedBy,
  };
}
