import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitArrival } from '../../src/http/core/arrival-limits.ts';
import { type HttpServer, startHttpServer } from '../../src/http/core/server.ts';
import { newId } from '../../src/shared/ids.ts';

const HEADERS_MS = 300;
const LONGER_MS = 3 * HEADERS_MS;
const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

let server: HttpServer;
let socket: Socket;

beforeEach(async () => {
  server = await startHttpServer({
    fetch: () => new Response('ok'),
    host: '127.0.0.1',
    port: 0,
    services: { newId, logger: { info: () => {}, error: () => {} } as never },
    limits: { headersMs: HEADERS_MS, requestMs: HEADERS_MS, checkMs: 10, lingerMs: 10 },
  });
  socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  // The server has accepted it.
  await pause(20);
});
afterEach(async () => {
  socket.destroy();
  await server.close();
});

async function statusLine(): Promise<string> {
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString().split('\r\n')[0] ?? '';
}

/** Nothing is read meanwhile, and the timers that are due then come before what has arrived. */
async function occupyEventLoop(ms: number, first: () => void = () => {}): Promise<void> {
  await new Promise((done) => setImmediate(done));
  first();
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

describe('a request', () => {
  it('that was sent in time is answered after a pause of the event loop', async () => {
    await occupyEventLoop(LONGER_MS, () => socket.write(REQUEST));
    expect(await statusLine()).toBe('HTTP/1.1 200 OK');
  });

  it('that does not arrive is refused in the end, also after such a pause', async () => {
    await occupyEventLoop(LONGER_MS);
    expect(await statusLine()).toBe('HTTP/1.1 408 Request Timeout');
  });
});

describe('the time for a request', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('is longer by the pauses of as long as a request may take, and of none before', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const server = Object.assign(new EventEmitter(), { headersTimeout: 0, requestTimeout: 0 });
    limitArrival(server as never, { headersMs: 1_000, requestMs: 5_000 });
    const look = (afterMs: number): void => {
      nowMs += afterMs;
      vi.advanceTimersByTime(100);
    };
    look(2_100);
    look(100);
    look(600);
    expect([server.headersTimeout, server.requestTimeout]).toEqual([3_500, 7_500]);
    for (let nth = 0; nth < 44; nth += 1) look(100);
    expect([server.headersTimeout, server.requestTimeout]).toEqual([1_500, 5_500]);
    for (let nth = 0; nth < 20; nth += 1) look(100);
    expect([server.headersTimeout, server.requestTimeout]).toEqual([1_000, 5_000]);
    server.emit('close');
  });
});
