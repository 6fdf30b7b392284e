import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/http/core/app.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

const ROWS = 1_200;

type Message = { readonly type: string };

/** What was sent to the thread of exports, and what it sent. */
let sent: Message[] = [];
let received: Message[] = [];
let threads: Worker[] = [];
let onPart: (worker: Worker) => void = () => {};
/** No part that is asked for is made. */
let areHeld = false;

function watch(worker: Worker): void {
  if (worker.threadName !== 'exports') return;
  threads.push(worker);
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (message: Message, ...more: never[]) => {
    sent.push(message);
    if (!(areHeld && message.type === 'next')) post(message, ...more);
  };
  worker.on('message', (message: Message) => {
    received.push(message);
    if (message.type === 'part') onPart(worker);
  });
}

const typesOf = (messages: readonly Message[], type: string) => messages.filter((one) => one.type === type);

describe.skipIf(process.env.WIRE !== undefined)('an export in the whole service', () => {
  let api: TestService;

  beforeAll(async () => {
    process.on('worker', watch as never);
    api = await startTestService();
    const connection = await connectDemoBank(api, { transactionsPerDay: ROWS / 2, seed: 'export thread' });
    await syncAndWait(api, connection, { from: '2026-01-01', to: '2026-01-03' });
    await automationDone(api);
  });
  afterAll(async () => {
    process.off('worker', watch as never);
    await api.stop();
  });
  beforeEach(() => {
    sent = [];
    received = [];
    threads = [];
    onPart = () => {};
    areHeld = false;
  });

  type Exported = { readonly text: string; readonly trailers: Record<string, unknown>; readonly isWhole: boolean };

  function exported(): Promise<Exported> {
    const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': COMPANY };
    return new Promise((resolve, reject) => {
      request(`${api.service.url}/banks/transactions/export`, { headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', () => {});
        response.on('close', () =>
          resolve({ text, trailers: response.trailers as Record<string, unknown>, isWhole: response.complete }),
        );
      })
        .on('error', reject)
        .end();
    });
  }

  it('is made outside the thread that answers', async () => {
    const { text, trailers, isWhole } = await exported();
    expect(isWhole).toBe(true);
    expect(text.trimEnd().split('\r\n')).toHaveLength(ROWS + 1);
    expect(trailers['x-row-count']).toBe(String(ROWS));
    expect(threads).toHaveLength(1);
    expect(typesOf(received, 'part').length).toBeGreaterThan(1);
  });

  it('ends with a broken connection when its thread ends, and the next one is whole', async () => {
    onPart = (worker) => void worker.terminate();
    // The thread that the test before left behind would not be seen by this one.
    const { text, trailers, isWhole } = await exported();
    onPart = () => {};
    expect(isWhole).toBe(false);
    expect(trailers).toEqual({});
    expect(text.split('\r\n').length).toBeLessThan(ROWS);
    expect(api.logLines.join('')).toContain('the thread of exports has ended');
    expect((await exported()).text.trimEnd().split('\r\n')).toHaveLength(ROWS + 1);
  });

  it('is made no further than its client reads, and not at all once the client has left', async () => {
    const app = createApp(api.service.httpServices);
    const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': COMPANY };
    const response = await app.request('/banks/transactions/export', { headers });
    const reader = response.body?.getReader();
    await pause(100);
    expect(typesOf(sent, 'next')).toHaveLength(0);
    for (let nth = 1; nth <= 2; nth += 1) {
      expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
      await pause(100);
      expect(typesOf(sent, 'next')).toHaveLength(nth);
    }
    await reader?.cancel();
    await expect.poll(() => typesOf(sent, 'close')).toHaveLength(1);
    expect(typesOf(sent, 'next')).toHaveLength(2);
  });

  it('ends the part that is being made when its connection breaks', async () => {
    // Now there is a thread.
    await exported();
    sent = [];
    areHeld = true;
    const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': COMPANY };
    const asking = request(`${api.service.url}/banks/transactions/export`, { headers }).on('error', () => {});
    asking.end();
    await expect.poll(() => typesOf(sent, 'next').length).toBeGreaterThan(0);
    asking.destroy();
    await expect.poll(() => typesOf(sent, 'close')).toHaveLength(1);
  });
});
