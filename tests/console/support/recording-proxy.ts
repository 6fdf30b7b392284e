import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

export type Recorded = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** With `isEndless` its body is repeated until nobody reads it any more. */
type OwnAnswer = {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly isEndless?: true;
};

export type RecordingProxy = {
  readonly url: string;
  /** Every request that reached the server, in order. */
  readonly recorded: readonly Recorded[];
  /** Answers a path by itself from now on. */
  readonly instead: (path: string, answer: OwnAnswer) => void;
  /** Passes requests of a path on from now on, and breaks the connection off in place of the answer. */
  readonly lose: (path: string) => void;
  /** Passes every path on again, and every answer back. */
  readonly pass: () => void;
  readonly close: () => Promise<void>;
};

/** Stands before a service and writes down what a page sends to it. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const recorded: Recorded[] = [];
  const own = new Map<string, OwnAnswer>();
  const lost = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', url = '', headers } = incoming;
      recorded.push({ method, url, headers, body: body.toString() });
      const answer = own.get(url);
      if (answer !== undefined) {
        outgoing.writeHead(answer.status, { 'content-type': answer.type });
        if (answer.isEndless) Readable.from(endless(answer.body)).pipe(outgoing);
        else outgoing.end(answer.body);
        return;
      }
      const passed = request(`${target}${url}`, { method, headers }, (reply) => {
        if (lost.has(url)) {
          outgoing.destroy();
          return;
        }
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      });
      // A page that ends its request ends it at the service, too.
      outgoing.on('close', () => passed.destroy());
      passed.on('error', () => outgoing.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    recorded,
    instead: (path, answer) => own.set(path, answer),
    lose: (path) => lost.add(path),
    pass: () => {
      own.clear();
      lost.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function* endless(text: string): Generator<string> {
  for (;;) yield text;
}
