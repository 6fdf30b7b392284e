import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { syncIdOf } from '../../src/commands/request-sync.ts';
import { eventCodec, type SyncRunFact } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { LOG_START } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { computedId } from '../../src/shared/ids.ts';
import { AT, ingestedPage, plannedSync, requestedSync } from '../support/facts.ts';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';
import { COMPANY } from '../support/test-service.ts';

/** A fraction of what `npm start` gives: the events of the sync, all at once, would be several times as much. */
const HEAP = ['--max-semi-space-size=4', '--max-old-space-size=160'];
const PAGES = 400;
const FAULTS_A_PAGE = 1_500;

const folder = mkdtempSync(join(tmpdir(), 'bank-long-'));
let child: ServiceChild;
let path: string;
let syncId: string;

beforeAll(async () => {
  child = await startServiceChild({ DATA_DIR: folder });
  const opened = await child.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Long' });
  const accountId = opened.result.id;
  path = `/banks/accounts/${accountId}`;
  await child.call('PUT', `${path}/credentials`, { seed: 'long' });
  await child.call('POST', `${path}/setup`, undefined, { prefer: 'wait=20' });
  await child.kill('SIGTERM');
  syncId = syncIdOf(accountId, 1);
  await writeSync(accountId);
  child = await startServiceChild({ DATA_DIR: folder }, { options: HEAP });
  while ((await child.call<Sync>('GET', `${path}/syncs/${syncId}`)).result?.status !== 'completed') await pause(50);
});
afterAll(async () => {
  await child.kill();
  rmSync(folder, { recursive: true, force: true });
});

type Sync = { status: string; pages: number };
type History = { items: { eventType: string }[]; count?: { value: number } };

/** A sync of files that hardly any statement could be read of: each of its events has some 200 kB. */
async function writeSync(accountId: string): Promise<void> {
  const log = openEmbeddedLog({ file: join(folder, 'log.sqlite'), codec: eventCodec });
  const { events: before } = await log.readAll({ after: LOG_START, limit: 100, categories: ['bankConnection'] });
  const tenantId = before[0]?.metadata.tenantId ?? '';
  const stream = streamName('syncRun', tenantId, syncId);
  const fault = {
    code: 'STATEMENT_REFUSED',
    message: 'the balances do not prove it',
    source: 'statements',
    place: null,
  };
  const faults = Array.from({ length: FAULTS_A_PAGE }, (_, nth) => ({ ...fault, place: `file ${nth} line ${nth}` }));
  const page = (nth: number): SyncRunFact => {
    return ingestedPage({
      accountId,
      page: nth,
      cursor: nth === 1 ? null : `${nth - 1}`,
      nextCursor: `${nth}`,
      faults,
    });
  };
  const data = { accountId, completedAt: AT, durationMs: 1, requests: 1, lastRequests: 0, balances: [] };
  const facts: SyncRunFact[] = [requestedSync({ syncId, accountId }), plannedSync(1)];
  for (let nth = 1; nth <= PAGES; nth += 1) facts.push(page(nth));
  facts.push({ type: 'SyncCompleted', data });
  const actor = { type: 'system', id: 'sync' } as const;
  const metadata = { schemaVersion: 1, tenantId, companyId: COMPANY, actor, correlationId: syncId, causationId: null };
  for (const [revision, fact] of facts.entries()) {
    const event = { id: computedId(syncId, String(revision)), ...fact, metadata };
    await log.append({ stream, expected: revision === 0 ? 'no-stream' : revision - 1, events: [event] });
  }
  await log.close();
}

it('answers about a sync of any length, many times at once, without holding it', async () => {
  const history = `/banks/audit/history/sync/${syncId}`;
  const first = await child.call<History>('GET', `${history}?limit=2&count=true`);
  expect(first.result.items.map(({ eventType }) => eventType)).toEqual(['SyncRequested', 'SyncPlanned']);
  expect(first.result.count?.value).toBe(PAGES + 3);
  const shown = await child.call<{ position: string }>('GET', `${path}/syncs/${syncId}`);
  const position = shown.position ?? '';
  const asked = await Promise.all(
    Array.from({ length: 6 }, () => [
      child.call<{ revision: number; entity: Sync }>('GET', `${history}/as-of?position=${position}`),
      child.call<{ changes: unknown[] }>('GET', `${history}/diff?from=${'0'.repeat(position.length)}&to=${position}`),
      child.call('POST', `${path}/syncs/${syncId}/cancel`, {}),
    ]).flat(),
  );
  expect(asked.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => [200, 200, 409]).flat());
  expect(asked[0]?.result).toMatchObject({ revision: PAGES + 2, entity: { status: 'completed', pages: PAGES } });
  const next = await child.call<unknown>('POST', `${path}/sync`, {});
  expect(next.status).toBe(202);
});
