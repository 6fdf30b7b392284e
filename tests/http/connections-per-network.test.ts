import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpServer, startHttpServer } from '../../src/http/core/server.ts';
import { newId } from '../../src/shared/ids.ts';

const LIMIT = 5;
let server: HttpServer;
let answer = (): Promise<Response> => Promise.resolve(new Response('ok'));
const sockets: Socket[] = [];

async function start(): Promise<void> {
  server = await startHttpServer({
    fetch: () => answer(),
    host: '127.0.0.1',
    port: 0,
    services: { newId, logger: { info: () => {}, error: () => {} } as never },
    limits: { connectionsPerNetwork: LIMIT, lingerMs: 10 },
  });
}

async function opened(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function ask(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [data] = (await once(socket, 'data')) as [Buffer];
  return data.toString();
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

describe('the connections of one network', () => {
  it('are bounded: beyond the limit the one that was idle longest is closed', async () => {
    await start();
    const open: Socket[] = [];
    for (let nth = 0; nth < LIMIT; nth += 1) {
      const socket = await opened();
      expect(await ask(socket)).toContain('200');
      open.push(socket);
    }
    const [first, second] = open as [Socket, Socket];
    expect(await ask(first)).toContain('200');
    const closed = once(second, 'close');
    const next = await opened();
    await closed;
    expect(await ask(next)).toContain('200');
    expect(await ask(first)).toContain('200');
  });

  it('with requests in progress are not closed for a new one, which is', async () => {
    let release = (): void => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    let asked = 0;
    answer = async () => {
      asked += 1;
      await held;
      return new Response('late');
    };
    await start();
    const waiting: Promise<string>[] = [];
    for (let nth = 0; nth < LIMIT; nth += 1) {
      const socket = await opened();
      waiting.push(ask(socket));
    }
    await expect.poll(() => asked).toBe(LIMIT);
    const further = connect(server.port, '127.0.0.1');
    further.on('error', () => {});
    sockets.push(further);
    await new Promise((closed) => further.once('close', closed));
    release();
    for (const one of await Promise.all(waiting)) expect(one).toContain('200');
    answer = () => Promise.resolve(new Response('ok'));
  });
});
