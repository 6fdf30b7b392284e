import type { EventLog } from '../log/log.ts';
import type { Progress } from '../projections/engine/progress.ts';
import {
  createTenantChanges,
  type ListenForChanges,
  type TenantChanges,
} from '../projections/engine/tenant-changes.ts';
import { isPassing } from '../projections/engine/waiting.ts';
import { CHANGE_TYPES, changeFeeds } from '../queries/changes.ts';
import { retry } from '../shared/retry.ts';
import type { Background } from './background.ts';

const SETTLED_WITHIN_MS = 5_000;
const BACKOFF = { firstMs: 100, mostMs: 5_000 };

/** The categories of the streams that the read models of the change feed take. */
const CATEGORIES = [
  'bankConnection',
  'syncRun',
  'bankTransaction',
  'transactionRule',
  'ruleRun',
  'schedule',
  'scheduleRun',
] as const;

/**
 * Notices of changes for those who wait for one.
 * @param options.background null where other instances fold read models as well: then the log says what is new
 */
export function openChangeNotices(options: {
  readonly log: EventLog;
  readonly progress: Progress;
  readonly background: Pick<Background, 'onChanged'> | null;
}): TenantChanges {
  const { log, progress, background } = options;
  const names = CHANGE_TYPES.map((type) => changeFeeds[type].projection.name);
  return createTenantChanges({
    listen: background === null ? fromLog(log) : fromProjections(background, new Set(names)),
    settled: (position) => progress.waitFor(names, position, SETTLED_WITHIN_MS),
  });
}

function fromProjections({ onChanged: onWritten }: Pick<Background, 'onChanged'>, names: ReadonlySet<string>) {
  const listen: ListenForChanges = (onChanged, signal) => {
    const stop = onWritten(({ name, tenantIds, position }) => {
      if (names.has(name)) onChanged(tenantIds, position);
    });
    signal.addEventListener('abort', stop, { once: true });
  };
  return listen;
}

function fromLog(log: EventLog): ListenForChanges {
  return (onChanged, signal) => {
    const follow = async (): Promise<void> => {
      const after = await log.head();
      // Whoever began to wait before this position was known looks again.
      onChanged(null, after);
      for await (const { events, position } of log.subscribe({ after, categories: CATEGORIES, signal })) {
        if (events.length > 0) onChanged(new Set(events.map(({ metadata }) => metadata.tenantId)), position);
      }
    };
    retry(follow, { isPassing, backoff: BACKOFF, signal }).catch(() => undefined);
  };
}
