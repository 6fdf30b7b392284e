import { createServer } from 'node:net';

const LOOK_AT_MOST = 100;

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => done(true)));
  });
}

/**
 * The port to listen on: the wanted one or, unless it was configured, the next free one. Determined before the service
 * starts, so that no stores are opened when the port is taken.
 * @throws Error when the port was configured and is taken
 */
export async function demoPort(host: string, wanted: number, asked: boolean): Promise<number> {
  if (wanted === 0 || (await isFree(host, wanted))) return wanted;
  if (asked) throw new Error(`port ${wanted} of ${host} is in use; set PORT to another one`);
  for (let port = wanted + 1; port <= Math.min(65_535, wanted + LOOK_AT_MOST); port += 1) {
    if (await isFree(host, port)) return port;
  }
  throw new Error(`no free port from ${wanted} on; set PORT to a free one`);
}
