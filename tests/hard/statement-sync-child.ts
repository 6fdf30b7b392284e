import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/wiring/service.ts';
import { COMPANY, KEY, SECRET } from '../support/test-service.ts';

/** What the child says at its end, in megabytes of 1,000,000 bytes. */
export type SyncReport = { readonly inserted: number; readonly peakMbBefore: number; readonly peakMb: number };

// The whole service on the folder DATA_DIR: setup and sync of the statement folder `warm`, then of `large`.
const read = readConfig(process.env);
if (!read.ok) throw new Error(read.faults.join('\n'));
const service = await startService({ config: read.config, logger: pino({ level: 'silent' }) });

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

await service.firstTenantBecomesVisible(60_000);
await importFolder('warm');
const peakMbBefore = peakMb();
const inserted = await importFolder('large');
const report: SyncReport = { inserted, peakMbBefore, peakMb: peakMb() };
await service.stop();
process.stdout.write(JSON.stringify(report));
