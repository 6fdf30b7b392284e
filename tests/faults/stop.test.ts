import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';
import { COMPANY, KEY, SECRET } from '../support/test-service.ts';

const CONNECTIONS = 32;
const ENDS_WITHIN_MS = 10_000;

let dataDir: string;
let child: ServiceChild;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-stop-'));
  child = await startServiceChild({ DATA_DIR: dataDir, LOG_LEVEL: 'info', TENANT_LIMIT_CONNECTIONS: '100000' });
});
afterEach(async () => {
  await child.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

type Wire = { status: number; headers: Record<string, unknown>; trailers: Record<string, unknown>; body: string };

/** Over the agent's connection; the error of a broken connection has its code. */
function ask(
  agent: Agent,
  method: string,
  path: string,
  body = '',
  headers: Record<string, string> = {},
): Promise<Wire> {
  return new Promise((done, fail) => {
    const sending = request(
      `${child.url}${path}`,
      {
        method,
        agent,
        headers: {
          'x-api-key': KEY,
          'x-api-secret': SECRET,
          'x-company-id': COMPANY,
          ...(body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      },
      async (incoming) => {
        try {
          let text = '';
          for await (const chunk of incoming) text += String(chunk);
          done({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            trailers: incoming.trailers,
            body: text,
          });
        } catch (error) {
          fail(error);
        }
      },
    );
    sending.on('error', fail);
    sending.end(body);
  });
}

async function connected(transactionsPerDay: number): Promise<string> {
  const opened = await child.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Stop' });
  const path = `/banks/accounts/${opened.result.id}`;
  await child.call('PUT', `${path}/credentials`, { seed: 'stop', transactionsPerDay });
  await child.call('POST', `${path}/setup`, undefined, { prefer: 'wait=20' });
  return path;
}

describe('SIGTERM', () => {
  it('under load: every accepted request is answered completely, and every answered write exists afterwards', async () => {
    const acknowledged: string[] = [];
    const broken: string[] = [];
    const answered = new Set<number>();
    let closes = 0;
    const client = async (nth: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let turn = 0; ; turn += 1) {
        try {
          const body = JSON.stringify({ bankCode: 'demo', title: `Load ${nth}-${turn}` });
          const answer = await ask(agent, 'POST', '/banks/accounts', body);
          expect(answer.status).toBe(201);
          acknowledged.push(JSON.parse(answer.body).result.id);
          answered.add(nth);
          if (answer.headers.connection === 'close') closes += 1;
        } catch (error) {
          const { code = String(error) } = error as NodeJS.ErrnoException;
          if (code !== 'ECONNREFUSED') broken.push(code);
          agent.destroy();
          return;
        }
      }
    };
    const load = Array.from({ length: CONNECTIONS }, (_, nth) => client(nth));
    // Until then a connection may wait to be accepted, which no stopping server does any more.
    while (answered.size < CONNECTIONS && broken.length === 0) await wait(20);
    const startedMs = performance.now();
    const code = await child.kill('SIGTERM');
    expect(performance.now() - startedMs).toBeLessThan(ENDS_WITHIN_MS);
    await Promise.all(load);
    expect(code).toBe(0);
    expect(broken).toEqual([]);
    expect(closes).toBeGreaterThan(0);

    child = await startServiceChild({ DATA_DIR: dataDir, TENANT_LIMIT_CONNECTIONS: '100000' });
    for (const id of acknowledged) {
      const found = await child.call('POST', `/banks/accounts/${id}/archive`);
      expect([id, found.status]).toEqual([id, 200]);
    }
  });

  it('cuts a Prefer: wait short, which is answered 202', async () => {
    const path = await connected(2_000);
    const agent = new Agent({ keepAlive: true });
    const waiting = ask(agent, 'POST', `${path}/sync`, '{}', { prefer: 'wait=30' });
    for (let known = 0; known === 0; await wait(20)) {
      known = (await child.call<{ items: unknown[] }>('GET', `${path}/syncs`)).result.items.length;
    }
    const stopping = child.kill('SIGTERM');
    const answer = await waiting;
    expect([answer.status, answer.headers.connection]).toEqual([202, 'close']);
    expect(await stopping).toBe(0);
    agent.destroy();
  });

  it('aborts an export that is not read to its end, so that the client notices', async () => {
    const path = await connected(300);
    await child.call('POST', `${path}/sync`, {}, { prefer: 'wait=30' });
    // A busy machine takes longer than that, and a part of the rows fits into the buffers.
    for (let status = ''; status !== 'completed'; await wait(100)) {
      status =
        (await child.call<{ items: { status: string }[] }>('GET', `${path}/syncs`)).result.items[0]?.status ?? '';
    }
    const ended = await new Promise<{ complete: boolean; code: number | null }>((done, fail) => {
      const headers = { 'x-api-key': KEY, 'x-api-secret': SECRET, 'x-company-id': COMPANY };
      const sending = request(`${child.url}/banks/transactions/export`, { headers }, (incoming) => {
        incoming.once('data', async () => {
          // Not read on: what the buffers between the two do not hold stays unsent.
          incoming.pause();
          const code = await child.kill('SIGTERM');
          incoming.on('error', () => undefined);
          incoming.on('close', () => done({ complete: incoming.complete, code }));
          incoming.resume();
        });
      });
      sending.on('error', fail);
      sending.end();
    });
    expect(ended).toEqual({ complete: false, code: 0 });
  });
});
