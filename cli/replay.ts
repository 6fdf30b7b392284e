import { setTimeout as pause } from 'node:timers/promises';
import type { Replay } from '../sdk/src/index.ts';
import { openProgress } from './progress.ts';
import { count, say, sayError } from './say.ts';
import { withClient } from './service/with-client.ts';

const LOOK_AGAIN_MS = 250;
const SHOWN = 10;

/**
 * Lets the service replay a company and shows the progress until the end. Exit code 0: everything is equal; 1: it is
 * not, or could not be compared.
 */
export function replayCompany(company: string, { url, until }: { url: string; until?: string }): Promise<void> {
  return withClient({ url, company }, async (client) => {
    let replay = await client.startReplay(until === undefined ? {} : { until });
    const progress = openProgress('replay');
    while (replay.status === 'pending' || replay.status === 'processing') {
      if (replay.totalEvents !== null) progress.show(replay.processedEvents, replay.totalEvents);
      await pause(LOOK_AGAIN_MS);
      replay = await client.getReplay(replay.id);
    }
    progress.end(replay.processedEvents);
    report(replay);
  });
}

function report({ status, error, equal, logPosition, readModels }: Replay): void {
  if (status !== 'completed') sayError(`the replay failed: ${error ?? 'unknown'}`);
  for (const { name, documents, changedSince, differences, equal: same } of readModels) {
    const since = changedSince === 0 ? '' : `, ${count(changedSince)} changed since`;
    say(`${name.padEnd(16)} ${count(documents).padStart(10)} documents${since}: ${same ? 'equal' : 'NOT EQUAL'}`);
    for (const { documentId, kind, paths } of differences.slice(0, SHOWN)) {
      say(`  ${kind} ${documentId}${paths.length === 0 ? '' : `: ${paths.join(', ')}`}`);
    }
  }
  if (equal === true) say(`all equal up to ${logPosition}`);
  else process.exitCode = 1;
}
