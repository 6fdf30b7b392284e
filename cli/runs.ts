import { setTimeout as pause } from 'node:timers/promises';
import { onService } from './client/on-service.ts';
import { openProgress } from './client/progress.ts';
import { count, say } from './say.ts';

type Run = {
  readonly type: string;
  readonly status: string;
  readonly candidateCount?: number;
  readonly processedCount: number;
  readonly matchedCount: number;
  readonly attachedCount: number;
  readonly revokedCount: number;
  readonly lastError?: string;
};

const LOOK_AGAIN_MS = 250;
const ENDED = new Set(['completed', 'dead', 'cancelled']);

/** Shows the progress of a run until its end; the exit code says whether it completed. */
export function watchRun(id: string, { url }: { url: string }): Promise<void> {
  return onService(url, 'rules:read', async (api) => {
    const look = (): Promise<Run> => api.get(`/banks/rule-runs/${encodeURIComponent(id)}`, null);
    let run = await look();
    const progress = openProgress(run.type);
    for (; !ENDED.has(run.status); run = await look()) {
      progress.show(run.processedCount, run.candidateCount ?? 0);
      await pause(LOOK_AGAIN_MS);
    }
    progress.end(run.processedCount);
    say(summary(run));
    if (run.status !== 'completed') process.exitCode = 1;
  });
}

function summary(run: Run): string {
  const { status, matchedCount, attachedCount, revokedCount, lastError } = run;
  const figures = `${count(matchedCount)} matched, ${count(attachedCount)} attached, ${count(revokedCount)} revoked`;
  return `${status}: ${figures}${lastError === undefined ? '' : `; last error: ${lastError}`}`;
}
