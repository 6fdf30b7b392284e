import type { EventData, EventType, KnownEvent } from '../events/registry.ts';
import type { ScheduleTiming } from '../events/schedule.ts';
import { parseStreamName } from '../log/streams.ts';
import { documentId } from '../shared/ids.ts';
import { type LogPlace, type PlacedDocument, placed } from './log-place.ts';
import type { Projection } from './projection.ts';

/** A schedule and the results of its turns: folded from its own stream and those of its runs. */
export type ScheduleDocument = PlacedDocument & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly id: string;
  readonly accountId: string;
  readonly title: string | null;
  readonly timing: ScheduleTiming;
  readonly status: 'active' | 'paused';
  readonly pausedReason: EventData<'SchedulePaused'>['reason'];
  readonly pausedAt: string | null;
  readonly deleted: boolean;
  /** The first turn not yet taken. */
  readonly nextTurnAt: string | null;
  /** After failures: no turn starts before this. */
  readonly notBefore: string | null;
  /** When a worker should look at it; null while it is paused or deleted. */
  readonly dueAt: string | null;
  readonly lastOrdinal: number;
  readonly lastRunAt: string | null;
  readonly lastOutcome: 'succeeded' | 'failed' | 'skipped' | null;
  readonly consecutiveFailures: number;
  readonly createdAt: string;
  readonly updatedAt: string;
};

type Body = Omit<ScheduleDocument, '_position' | 'dueAt' | keyof LogPlace>;

const TAKES = [
  'ScheduleCreated',
  'ScheduleChanged',
  'SchedulePaused',
  'ScheduleResumed',
  'ScheduleDeleted',
  'ScheduleRunQueued',
  'ScheduleRunEnded',
] as const satisfies readonly EventType[];
type Change = KnownEvent<Exclude<(typeof TAKES)[number], 'ScheduleCreated'>>;

function created(event: KnownEvent<'ScheduleCreated'>, key: string): Body {
  const { scheduleId, accountId, title, timing, status, nextRunAt, createdAt } = event.data;
  return {
    _id: key,
    tenantId: event.metadata.tenantId,
    companyId: event.metadata.companyId ?? '',
    id: scheduleId,
    accountId,
    title,
    timing,
    status,
    pausedReason: null,
    pausedAt: status === 'paused' ? createdAt : null,
    deleted: false,
    nextTurnAt: nextRunAt,
    notBefore: null,
    lastOrdinal: 0,
    lastRunAt: null,
    lastOutcome: null,
    consecutiveFailures: 0,
    createdAt,
    updatedAt: createdAt,
  };
}

function changed(before: Body, event: Change): Body {
  switch (event.type) {
    case 'ScheduleChanged': {
      const { title, timing, nextRunAt, changedAt } = event.data;
      return { ...before, title, timing, nextTurnAt: nextRunAt, updatedAt: changedAt };
    }
    case 'SchedulePaused': {
      const { reason, pausedAt } = event.data;
      return { ...before, status: 'paused', pausedReason: reason, pausedAt, nextTurnAt: null, updatedAt: pausedAt };
    }
    case 'ScheduleResumed': {
      const { nextRunAt, resumedAt } = event.data;
      const fresh = { pausedReason: null, pausedAt: null, notBefore: null, consecutiveFailures: 0 };
      return { ...before, status: 'active', ...fresh, nextTurnAt: nextRunAt, updatedAt: resumedAt };
    }
    case 'ScheduleDeleted':
      return { ...before, deleted: true, nextTurnAt: null, updatedAt: event.data.deletedAt };
    case 'ScheduleRunQueued': {
      const { ordinal, trigger, nextRunAt, queuedAt } = event.data;
      const nextTurnAt = trigger === 'schedule' && before.status === 'active' ? nextRunAt : before.nextTurnAt;
      return { ...before, lastOrdinal: ordinal, lastRunAt: queuedAt, nextTurnAt };
    }
    case 'ScheduleRunEnded':
      return ended(before, event.data);
  }
}

/** A skipped turn says nothing about the bank: it neither counts as a failure nor resets their count. */
function ended(before: Body, { outcome, notBefore }: EventData<'ScheduleRunEnded'>): Body {
  if (outcome === 'skipped') return { ...before, lastOutcome: outcome };
  const consecutiveFailures = outcome === 'failed' ? before.consecutiveFailures + 1 : 0;
  return { ...before, lastOutcome: outcome, consecutiveFailures, notBefore };
}

function withDueAt(body: Body): Omit<ScheduleDocument, '_position' | keyof LogPlace> {
  return { ...body, dueAt: dueAt(body) };
}

function dueAt({ status, deleted, nextTurnAt, notBefore }: Body): string | null {
  if (status === 'paused' || deleted || nextTurnAt === null) return null;
  return notBefore !== null && notBefore > nextTurnAt ? notBefore : nextTurnAt;
}

export const schedules: Projection<ScheduleDocument, (typeof TAKES)[number]> = {
  name: 'schedules',
  version: 2,
  takes: TAKES,
  keys(event) {
    const scheduleId = 'scheduleId' in event.data ? event.data.scheduleId : parseStreamName(event.stream).id;
    return [documentId(event.metadata.tenantId, scheduleId)];
  },
  evolve(document, event, key) {
    if (event.type === 'ScheduleCreated') return placed(undefined, withDueAt(created(event, key)), event);
    return document === undefined ? undefined : placed(document, withDueAt(changed(document, event)), event);
  },
  indexes: [
    { fields: ['tenantId', 'deleted', 'createdAt'] },
    { fields: ['tenantId', '_position', '_id', 'companyId'] },
    { fields: ['dueAt'] },
    { fields: ['tenantId', 'dueAt'] },
    { fields: ['pausedReason', 'pausedAt'] },
  ],
};
