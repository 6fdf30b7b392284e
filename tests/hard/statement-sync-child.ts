import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/wiring/service.ts';
import { COMPANY, KEY, SECRET } from '../support/test-service.ts';

/**
 * What the child says at its end, in megabytes of 1,000,000 bytes. `mbBefore`: of a service that has imported a small
 * file, the peak of resident memory until then; of one that has imported nothing, its resident memory at rest.
 */
export type SyncReport = { readonly inserted: number; readonly mbBefore: number; readonly peakMb: number };

/** Five seconds. */
const LOOKS_AT_REST = 25;
const SEALS_EVERY_MS = 10_000;

// The whole service on the folder DATA_DIR: setup and sync of the statement folder `warm`, if WARM is 1, then of
// `large`.
const read = readConfig(process.env);
if (!read.ok) throw new Error(read.faults.join('\n'));
// More often than in use, so that what was imported is sealed several times while the rest is.
const service = await startService({
  config: read.config,
  logger: pino({ level: 'silent' }),
  timing: { sealIdleMs: SEALS_EVERY_MS },
});

async function call<Result>(method: string, path: string, body?: unknown): Promise<Result> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      'x-api-key': KEY,
      'x-api-secret': SECRET,
      'x-company-id': COMPANY,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { result: Result }).result;
}

async function until<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(200);
  }
}

type Sync = { readonly status: string; readonly counts: { readonly inserted: number } };

async function importFolder(folder: string): Promise<number> {
  const connection = { bankCode: 'statement-files', title: folder, environment: 'production' };
  const { id } = await call<{ id: string }>('POST', '/banks/accounts', connection);
  await call('PUT', `/banks/accounts/${id}/credentials`, { folder });
  await call('POST', `/banks/accounts/${id}/setup`);
  await until(async () => {
    const { items } = await call<{ items: { id: string; subAccounts: unknown[] }[] }>('GET', '/banks/accounts');
    return items.find((one) => one.id === id && one.subAccounts.length > 0);
  });
  await call('POST', `/banks/accounts/${id}/sync`, {});
  const { status, counts } = await until(async () => {
    const { items } = await call<{ items: Sync[] }>('GET', `/banks/accounts/${id}/syncs?limit=1`);
    return items.find((sync) => !['queued', 'running'].includes(sync.status));
  });
  if (status !== 'completed') throw new Error(`the sync ended ${status}`);
  return counts.inserted;
}

// maxRSS is in units of 1,024 bytes.
const peakMb = (): number => (process.resourceUsage().maxRSS * 1024) / 1e6;

/** What the start has used for a moment is given back by the time the memory no longer changes. */
async function mbAtRest(): Promise<number> {
  const seen: number[] = [];
  return until(async () => {
    seen.push(process.memoryUsage.rss() / 1e6);
    const last = seen.slice(-LOOKS_AT_REST);
    const lowest = Math.min(...last);
    return last.length === LOOKS_AT_REST && Math.max(...last) - lowest < 1 ? lowest : undefined;
  });
}

async function mbAfterSmallFile(): Promise<number> {
  await importFolder('warm');
  return peakMb();
}

await service.firstTenantBecomesVisible(60_000);
const mbBefore = process.env.WARM === '1' ? await mbAfterSmallFile() : await mbAtRest();
const inserted = await importFolder('large');
const report: SyncReport = { inserted, mbBefore, peakMb: peakMb() };
await service.stop();
process.stdout.write(JSON.stringify(report));
