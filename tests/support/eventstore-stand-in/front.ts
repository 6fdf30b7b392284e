import { connect, createServer, type Server, type Socket } from 'node:net';

/** The connection between client and server, which can be cut and frozen: a port that forwards to another. */
export type Front = {
  readonly port: number;
  /** Forwards nothing, in either direction, until thawed; connections are accepted. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Cuts all existing connections; new ones are accepted. */
  readonly cut: () => void;
  /** Accepts no connections, and cuts the existing ones, until reopened at the same port. */
  readonly shut: () => Promise<void>;
  readonly open: () => Promise<void>;
  /** Connections accepted since the start. */
  readonly connections: () => number;
};

export async function openFront(target: number): Promise<Front> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let taken = 0;
  let port = 0;
  let server: Server | undefined;

  function pair(near: Socket): void {
    taken += 1;
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (!frozen) from.resume();
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (frozen) from.pause();
    }
  }

  async function open(): Promise<void> {
    server = createServer(pair);
    const listening = server;
    await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve));
    const address = listening.address();
    if (typeof address === 'object' && address !== null) port = address.port;
  }

  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }

  await open();
  return {
    get port() {
      return port;
    },
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    shut: async () => {
      const closing = server;
      server = undefined;
      cut();
      if (closing !== undefined) await new Promise((resolve) => closing.close(resolve));
    },
    open,
    connections: () => taken,
  };
}
