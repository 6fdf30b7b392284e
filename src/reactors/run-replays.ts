import pLimit from 'p-limit';
import { REPLAYED_NAMES, replayCompany } from '../audit/replay-company.ts';
import type { Replay, Replays } from '../audit/replays.ts';
import { history } from '../projections/history.ts';
import { countHistory } from '../queries/history.ts';
import type { WorkByTenant } from '../queries/work-by-tenant.ts';
import { leaseNames } from '../readstore/lease-names.ts';
import { isoTime } from '../shared/clock.ts';
import { withLease } from './lease.ts';
import { atOnce, type ReactorServices } from './reactor-services.ts';
import type { WorkPool } from './work-pool.ts';

const REPORT_EVERY_MS = 500;
const PROJECTED_WITHIN_MS = 60_000;

export type ReplayTools = {
  readonly replays: Replays;
  readonly waitFor: (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
};

/** Starts the replays that no worker holds. One whose worker died starts over: what it had built is dropped. */
export async function runReplays(
  services: ReactorServices,
  tools: ReplayTools,
  open: WorkByTenant<Replay>,
  pool: WorkPool,
): Promise<boolean> {
  for (const replay of await open.look()) {
    const { tenantId, _id: key } = replay;
    pool.offer({
      tenantId,
      key,
      work: (signal) =>
        withLease(services, leaseNames.replay(key), signal, (held) => carryOut(services, tools, replay, held)),
    });
  }
  return false;
}

async function carryOut(
  services: ReactorServices,
  tools: ReplayTools,
  asked: Replay,
  signal: AbortSignal,
): Promise<boolean> {
  const { replays } = tools;
  const now = (): string => isoTime(services.clock.now());
  const current = await replays.get(asked.tenantId, asked.id);
  if (current?.open !== true) return false;
  let replay = await replays.change(current, { status: 'processing', startedAt: now(), processedEvents: 0 });
  let processed = 0;
  // One write of the report at a time, in order: each continues from the previous one.
  const report = pLimit(1);
  const reporting = setInterval(() => {
    if (processed === replay.processedEvents) return;
    const written = report(async () => {
      replay = await replays.change(replay, { processedEvents: processed });
    });
    // Progress is only for people; the end must be recorded.
    written.catch(() => undefined);
  }, REPORT_EVERY_MS);
  const end = async (changes: Partial<Replay>): Promise<void> => {
    clearInterval(reporting);
    await report(async () => {
      replay = await replays.change(replay, { ...changes, open: false, completedAt: now() });
    });
  };
  try {
    const { id, tenantId, companyId, logPosition } = replay;
    if (!(await tools.waitFor(REPLAYED_NAMES, logPosition, PROJECTED_WITHIN_MS))) {
      throw new Error('the live read models are too far behind');
    }
    const onFolded = (count: number): void => {
      processed += count;
    };
    // Beside the replay: of a long history this takes a while, and is only for people, too.
    const counting = eventsOf(services, tools, replay).then((totalEvents) =>
      report(async () => {
        if (totalEvents !== null && replay.open) replay = await replays.change(replay, { totalEvents });
      }),
    );
    counting.catch(() => undefined);
    const { pace: paceOf = atOnce } = services;
    const pace = (part: () => Promise<void>): Promise<void> => paceOf(tenantId, part);
    const readModels = await replayCompany(services, { id, tenantId, companyId, logPosition, signal, onFolded, pace });
    await end({ status: 'completed', readModels, processedEvents: processed, totalEvents: processed });
  } catch (error) {
    // The next start, or another worker, resumes it.
    if (signal.aborted) return false;
    const { id, tenantId: tenant } = replay;
    services.logger.error({ err: error, replay: id, tenant, code: 'REPLAY_FAILED' }, 'a replay failed');
    await end({ status: 'failed', error: error instanceof Error ? error.message : 'unknown' });
  } finally {
    clearInterval(reporting);
  }
  return true;
}

/** How many events of the company there are up to the position; null where the read model is too far behind. */
async function eventsOf(
  { readModels, pace: paceOf = atOnce }: ReactorServices,
  { waitFor }: ReplayTools,
  { tenantId, companyId, logPosition }: Replay,
): Promise<number | null> {
  if (!(await waitFor([history.name], logPosition, PROJECTED_WITHIN_MS))) return null;
  const asked = { tenantId, companies: [companyId], direction: 'asc', upTo: logPosition } as const;
  return countHistory(await readModels.readable(history), asked, { pace: (read) => paceOf(tenantId, read) });
}
