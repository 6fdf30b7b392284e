import type { EventType } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/** One turn of a schedule, or one manual run. */
export type ScheduleRunDocument = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly id: string;
  readonly scheduleId: string;
  readonly accountId: string;
  readonly ordinal: number;
  readonly trigger: 'schedule' | 'manual';
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'skipped';
  /** True while a worker should look at it. */
  readonly open: boolean;
  readonly dueAt: string | null;
  readonly missedTurns: number;
  readonly syncId: string | null;
  readonly reason: string | null;
  readonly queuedAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
};

const TAKES = ['ScheduleRunQueued', 'ScheduleRunStarted', 'ScheduleRunEnded'] as const satisfies readonly EventType[];

export const scheduleRuns: Projection<ScheduleRunDocument, (typeof TAKES)[number]> = {
  name: 'schedule-runs',
  version: 1,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (event.type === 'ScheduleRunQueued') {
      const { runId: id, nextRunAt, ...run } = event.data;
      return {
        _id: key,
        tenantId: event.metadata.tenantId,
        companyId: event.metadata.companyId ?? '',
        id,
        ...run,
        status: 'queued',
        open: true,
        syncId: null,
        reason: null,
        startedAt: null,
        endedAt: null,
      };
    }
    if (document === undefined) return undefined;
    if (event.type === 'ScheduleRunStarted') {
      const { syncId, startedAt } = event.data;
      return { ...document, status: 'running', syncId, startedAt };
    }
    const { outcome, reason, syncId, endedAt } = event.data;
    return { ...document, status: outcome, open: false, reason, syncId, endedAt };
  },
  indexes: [
    { fields: ['tenantId', 'scheduleId', 'ordinal'] },
    { fields: ['open', 'queuedAt'] },
    { fields: ['tenantId', 'open', 'queuedAt'] },
  ],
};
