import type { KnownEvent } from '../../../src/events/registry.ts';
import { allOf, type History } from './history.ts';

/**
 * Each turn runs once, in the order of the turns, and no two runs of schedules start the same sync.
 * @param leasesHeld false where a worker may have gone on without its lease: it may request a sync for a run that
 * another worker has ended meanwhile, which docs/reliability.md does not rule out
 */
export function checkSchedules(history: History, leasesHeld: boolean): string[] {
  const faults: string[] = [];
  const runs = [...history.of('scheduleRun').values()];
  const queued = runs.flatMap((events) => allOf(events, 'ScheduleRunQueued'));
  for (const [id, own] of Map.groupBy(queued, ({ data }) => data.scheduleId)) {
    const inOrder = own.toSorted((one, other) => one.data.ordinal - other.data.ordinal);
    const isGap = ({ data }: KnownEvent<'ScheduleRunQueued'>, nth: number): boolean => data.ordinal !== nth + 1;
    if (inOrder.some(isGap)) faults.push(`the runs of schedule ${id} have a gap`);
    const turns = inOrder.flatMap(({ data }) => data.dueAt ?? []);
    if (turns.some((dueAt, nth) => nth > 0 && dueAt <= (turns[nth - 1] ?? ''))) {
      faults.push(`schedule ${id} took a turn twice: ${turns}`);
    }
  }
  const syncs = runs.flatMap((events) => allOf(events, 'ScheduleRunStarted').map(({ data }) => data.syncId));
  if (new Set(syncs).size !== syncs.length) faults.push('two runs of schedules started the same sync');
  const requested = Map.groupBy(
    [...history.of('syncRun').values()].flatMap((events) => allOf(events, 'SyncRequested')),
    ({ metadata }) => metadata.correlationId,
  );
  for (const [id, events] of history.of('scheduleRun')) {
    const asked = requested.get(id) ?? [];
    const [started] = allOf(events, 'ScheduleRunStarted');
    if (leasesHeld && asked.some(({ data }) => data.syncId !== started?.data.syncId)) {
      faults.push(`the run ${id} of a schedule requested ${asked.length} syncs and started ${started?.data.syncId}`);
    }
  }
  for (const events of runs) {
    const ends = allOf(events, 'ScheduleRunEnded').length;
    if (ends !== 1) faults.push(`the run ${events[0]?.stream} ended ${ends} times`);
  }
  return faults;
}
