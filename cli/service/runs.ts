import { setTimeout as pause } from 'node:timers/promises';
import type { BankClient, RuleRun } from '../../sdk/src/index.ts';
import { openProgress } from '../progress.ts';
import { count, say } from '../say.ts';
import { sayJson } from './output.ts';
import { type ServiceOptions, withClient } from './with-client.ts';

const ENDED = new Set(['completed', 'dead', 'cancelled']);
const LOOK_AGAIN_MS = 250;

/** Follows a run to its end; the exit code says whether it completed. */
export async function followRun(client: BankClient, started: RuleRun, json: boolean | undefined): Promise<RuleRun> {
  return watched(client, await client.waitFor(started).getRuleRun(started.id), json);
}

/** Follows a run by its id. */
export function watchRun(id: string, options: ServiceOptions): Promise<void> {
  return withClient(options, async (client) => {
    await watched(client, await client.getRuleRun(id), options.json);
  });
}

async function watched(client: BankClient, first: RuleRun, json: boolean | undefined): Promise<RuleRun> {
  const { id } = first;
  let run = first;
  const progress = json ? null : openProgress(run.type);
  for (; !ENDED.has(run.status); run = await client.getRuleRun(id)) {
    progress?.show(run.processedCount, run.candidateCount ?? 0);
    await pause(LOOK_AGAIN_MS);
  }
  progress?.end(run.processedCount);
  if (json) sayJson(run);
  else {
    const { attachedCount, revokedCount, lastError } = run;
    const figures = `${count(run.matchedCount)} matched, ${count(attachedCount)} attached, ${count(revokedCount)} revoked`;
    const error = lastError === undefined ? '' : `; last error: ${lastError}`;
    say(`${run.type} ${id} ${run.status}: ${figures}${error}`);
  }
  if (run.status !== 'completed') process.exitCode = 1;
  return run;
}
