import { serve } from '@hono/node-server';
import type { Hono } from 'hono';
import { answerParent } from './messages.ts';

/** Serves the routes on a port of their own, which the parent is told, until the parent stops the child. */
export function serveRoutes(app: Hono, close: () => Promise<void>): void {
  // A round of the other side may leave its connections idle for longer than the usual five seconds.
  const serverOptions = { keepAliveTimeout: 65_000 };
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, serverOptions }, ({ port }) => {
    answerParent({
      ready: { url: `http://127.0.0.1:${port}` },
      async stop() {
        server.close();
        await close();
      },
    });
  });
}
