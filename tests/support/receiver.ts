import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
  /** Counts the requests as they arrive. */
  readonly arrived: number;
  /** The status, 0 for none. */
  readonly answered: number;
};

/** What a receiver does with a request: answers with a status, or null: never answers. */
export type Behaviour = (
  received: Omit<Received, 'answered' | 'arrived'>,
  nth: number,
) => number | null | Promise<number | null>;

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  behave: Behaviour;
  readonly close: () => Promise<void>;
};

/** A receiver of webhooks on this machine. */
export async function startReceiver(behave: Behaviour = () => 200): Promise<Receiver> {
  const received: Received[] = [];
  const open = new Set<ServerResponse>();
  let arrivals = 0;
  const server = createServer((request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString();
      const one = { id: String(request.headers['webhook-id']), headers: request.headers, text, body: JSON.parse(text) };
      arrivals += 1;
      const arrived = arrivals;
      const status = await receiver.behave(one, received.length);
      received.push({ ...one, arrived, answered: status ?? 0 });
      if (status !== null) response.writeHead(status, { 'content-type': 'text/plain' }).end(`answer ${status}`);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    behave,
    async close() {
      for (const response of open) response.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return receiver;
}

/** As a receiver checks it by the Standard Webhooks specification. */
export function isSignedBy(secret: string, { headers, text }: Pick<Received, 'headers' | 'text'>): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const expected = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
