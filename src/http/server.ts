import type { Server } from 'node:http';
import { serve } from '@hono/node-server';

export type OpenDoor = {
  readonly port: number;
  /** Takes no new connection, lets requests in flight finish, and closes the connections that are only kept alive. */
  readonly close: () => Promise<void>;
};

/** Listens on the host and port; port 0 takes a free one. @throws Error when the port is taken */
export function openDoor(
  fetch: (request: Request) => Response | Promise<Response>,
  address: { host: string; port: number },
): Promise<OpenDoor> {
  return new Promise((done, fail) => {
    const server = serve({ fetch, hostname: address.host, port: address.port }, ({ port }) =>
      done({ port, close: () => close(server as Server) }),
    );
    server.once('error', fail);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeIdleConnections();
  });
}
