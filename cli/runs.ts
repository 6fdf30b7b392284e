import { setTimeout as pause } from 'node:timers/promises';
import { ApiFailure, openApi } from './client/api.ts';
import { openProgress } from './client/progress.ts';
import { count, EXIT_CONFIG, say, sayError } from './say.ts';

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

/** Follows a run to its end with a bar; the exit code tells whether it completed. The credentials come from the environment alone. */
export async function watchRun(id: string, { url }: { url: string }): Promise<void> {
  const { BANK_API_KEY: apiKey, BANK_API_SECRET: apiSecret } = process.env;
  if (!apiKey || !apiSecret) {
    sayError('BANK_API_KEY and BANK_API_SECRET: required, those of a key with rules:read');
    process.exitCode = EXIT_CONFIG;
    return;
  }
  const api = openApi(url, { apiKey, apiSecret }, new AbortController().signal);
  const look = (): Promise<Run> => api.get(`/banks/rule-runs/${encodeURIComponent(id)}`, null);
  try {
    let run = await look();
    const progress = openProgress(run.type);
    for (; !ENDED.has(run.status); run = await look()) {
      progress.show(run.processedCount, run.candidateCount ?? 0);
      await pause(LOOK_AGAIN_MS);
    }
    progress.end(run.processedCount);
    say(summary(run));
    if (run.status !== 'completed') process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof ApiFailure) && !(error instanceof TypeError)) throw error;
    sayError(error instanceof ApiFailure ? error.message : `${url} does not answer`);
    process.exitCode = 1;
  }
}

function summary(run: Run): string {
  const { status, matchedCount, attachedCount, revokedCount, lastError } = run;
  const figures = `${count(matchedCount)} matched, ${count(attachedCount)} attached, ${count(revokedCount)} revoked`;
  return `${status}: ${figures}${lastError === undefined ? '' : `; last error: ${lastError}`}`;
}
