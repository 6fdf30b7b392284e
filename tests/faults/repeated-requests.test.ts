import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { seededRandom } from '../support/random.ts';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';

const KILLS = 6;
const CLIENTS = 24;
/** Each client makes so many requests however slow the machine is. */
const TURNS = 3;
const SEED = 20_260_102;
const LONGEST_MS = 150;

let dataDir: string;
let child: ServiceChild;
afterEach(async () => {
  await child.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Until there is an answer; over kills and restarts, as a client that must have it done once. */
async function insist(key: string): Promise<string> {
  for (;;) {
    const answer = await child
      .call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: key }, { 'idempotency-key': key })
      .catch(() => null);
    if (answer?.status === 201) return answer.result.id;
    await wait(20);
  }
}

it('requests that are repeated until they are answered are carried out once, over kill -9 at seeded moments', async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-repeated-'));
  const random = seededRandom(SEED);
  child = await startServiceChild({ DATA_DIR: dataDir });
  const made = new Map<string, string>();
  let stopped = false;
  const clients = Array.from({ length: CLIENTS }, async (_, nth) => {
    for (let turn = 0; !stopped || turn < TURNS; turn += 1) {
      const key = `client-${nth}-${turn}`;
      made.set(key, await insist(key));
    }
  });
  for (let kill = 0; kill < KILLS; kill += 1) {
    await wait(50 + random() * LONGEST_MS);
    await child.kill('SIGKILL');
    child = await startServiceChild({ DATA_DIR: dataDir });
  }
  await wait(200);
  stopped = true;
  await Promise.all(clients);

  const titles = new Map<string, string[]>();
  let cursor = '';
  const newest = await child.call('POST', '/banks/accounts', { bankCode: 'demo', title: 'newest' });
  do {
    const page = `/banks/accounts?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const list = await child.call<{ items: { id: string; title: string }[]; nextCursor: string | null }>(
      'GET',
      page,
      undefined,
      { 'x-min-log-position': newest.position ?? '' },
    );
    for (const { id, title } of list.result.items) titles.set(title, [...(titles.get(title) ?? []), id]);
    cursor = list.result.nextCursor ?? '';
  } while (cursor !== '');
  expect(made.size).toBeGreaterThanOrEqual(CLIENTS * TURNS);
  expect([...titles].filter(([, ids]) => ids.length > 1)).toEqual([]);
  for (const [key, id] of made) expect([key, titles.get(key)]).toEqual([key, [id]]);
});
