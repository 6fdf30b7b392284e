import { setTimeout as pause } from 'node:timers/promises';
import type { BankClient, RuleRun } from '../../sdk/src/index.ts';
import { openProgress } from '../client/progress.ts';
import { count, say } from '../say.ts';
import { sayJson } from './output.ts';

const ENDED = new Set(['completed', 'dead', 'cancelled']);
const LOOK_AGAIN_MS = 250;

/** Follows a run to its end; the exit code says whether it completed. */
export async function followRun(client: BankClient, started: RuleRun, json: boolean | undefined): Promise<RuleRun> {
  const { id } = started;
  let run = await client.waitFor(started).getRuleRun(id);
  const progress = json ? null : openProgress(run.type);
  for (; !ENDED.has(run.status); run = await client.getRuleRun(id)) {
    progress?.show(run.processedCount, run.candidateCount ?? 0);
    await pause(LOOK_AGAIN_MS);
  }
  progress?.end(run.processedCount);
  if (json) sayJson(run);
  else {
    const { attachedCount, revokedCount } = run;
    const figures = `${count(run.matchedCount)} matched, ${count(attachedCount)} attached, ${count(revokedCount)} revoked`;
    say(`${run.type} ${id} ${run.status}: ${figures}`);
  }
  if (run.status !== 'completed') process.exitCode = 1;
  return run;
}
