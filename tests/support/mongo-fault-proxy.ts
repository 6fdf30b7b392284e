import { connect, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/** A command on its way to the server: its name, the collection it concerns and its body. */
export type MongoCommand = {
  readonly name: string;
  readonly collection: string;
  readonly body: Readonly<Record<string, unknown>>;
};

/**
 * What happens to a command. `cut`: the connection breaks before the server receives it. `cut-answer`: the server
 * executes it, and the connection breaks before the answer. `freeze`: the command and its answer wait until `thaw`.
 * `delay`: it waits that long, in milliseconds. `answer`: the server never receives it, and this is the answer.
 */
export type MongoFault =
  | 'cut'
  | 'cut-answer'
  | 'freeze'
  | { readonly delay: number }
  | { readonly answer: Readonly<Record<string, unknown>> };

export type MongoFaultProxy = {
  readonly url: string;
  /** Called for every command; undefined lets it pass. It can be replaced at any time. */
  fault: (command: MongoCommand) => MongoFault | undefined;
  /** Lets everything frozen continue. */
  readonly thaw: () => void;
  readonly close: () => Promise<void>;
};

const HEADER = 16;
const OP_MSG = 2013;

/** A proxy that understands MongoDB's wire protocol (OP_MSG) well enough to fail exactly at a named command. */
export async function startMongoFaultProxy(serverUrl: string): Promise<MongoFaultProxy> {
  const target = new URL(serverUrl.replace(/^mongodb/, 'http'));
  const links = new Set<Socket>();
  let frozen = Promise.withResolvers<void>();

  const server = createServer((near) => {
    const far = connect(Number(target.port || 27_017), target.hostname);
    const lostAnswers = new Set<number>();
    for (const socket of [near, far]) {
      links.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
        links.delete(socket);
      });
    }
    let sending = Promise.resolve();
    near.on(
      'data',
      framed((frame) => {
        sending = sending.then(() => send(frame));
      }),
    );
    far.on(
      'data',
      framed((frame) => {
        if (lostAnswers.delete(frame.readInt32LE(8))) near.destroy();
        else near.write(frame);
      }),
    );

    async function send(frame: Buffer): Promise<void> {
      const command = commandOf(frame);
      const fault = command === undefined ? undefined : proxy.fault(command);
      if (fault === 'cut') return void near.destroy();
      if (fault === 'cut-answer') lostAnswers.add(frame.readInt32LE(4));
      if (fault === 'freeze') await frozen.promise;
      if (typeof fault === 'object' && 'answer' in fault) return void near.write(answerTo(frame, fault.answer));
      if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.delay));
      if (!far.destroyed) far.write(frame);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const through = new URL(target);
  through.host = `127.0.0.1:${address.port}`;
  const proxy: MongoFaultProxy = {
    url: through.toString().replace(/^http/, 'mongodb'),
    fault: () => undefined,
    thaw() {
      frozen.resolve();
      frozen = Promise.withResolvers<void>();
    },
    async close() {
      for (const link of links) link.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
  return proxy;
}

/** Calls back for each whole message of the stream. */
function framed(take: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

function commandOf(frame: Buffer): MongoCommand | undefined {
  if (frame.readInt32LE(12) !== OP_MSG) return undefined;
  for (let at = HEADER + 4; at < frame.length; ) {
    const kind = frame[at];
    const size = frame.readInt32LE(at + 1);
    if (kind === 0) {
      const body = BSON.deserialize(frame.subarray(at + 1, at + 1 + size));
      const name = Object.keys(body)[0] ?? '';
      return { name, collection: typeof body[name] === 'string' ? body[name] : '', body };
    }
    at += 1 + size;
  }
  return undefined;
}

function answerTo(request: Buffer, body: Readonly<Record<string, unknown>>): Buffer {
  const document = BSON.serialize(body);
  const head = Buffer.alloc(HEADER + 5);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, document]);
}

/** The answer to a command that the server refused. */
export function refusal(code: number, codeName: string): MongoFault {
  return { answer: { ok: 0, code, codeName, errmsg: `${codeName}, as the test wants it` } };
}
