import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Applied, ProjectionRunner, Standing } from '../../src/projections/engine/projection-runner.ts';
import { answerThread } from '../../src/wiring/answer-thread.ts';
import type { FromBackground, ToBackground } from '../../src/wiring/thread-messages.ts';

const STANDING: Standing = { name: 'rules', version: 1, position: '1', foldedHere: true, liveHere: true, whole: true };

let channel: MessageChannel;
let standing: Standing;
let applied: (change: Applied) => void;
let received: FromBackground[];
let stopped: boolean;
beforeEach(() => {
  channel = new MessageChannel();
  standing = STANDING;
  received = [];
  stopped = false;
  channel.port1.on('message', (message: FromBackground) => received.push(message));
  const runner = {
    standings: () => [standing],
    onMoved: () => {},
    onApplied: (listener: (change: Applied) => void) => {
      applied = listener;
      return () => {};
    },
    status: () => [],
    waitFor: async (_names: readonly string[], position: string) => {
      standing = { ...STANDING, position };
      return true;
    },
  } as unknown as ProjectionRunner;
  answerThread(channel.port2, runner, [], async () => {
    stopped = true;
  });
});
afterEach(() => channel.port1.close());

const send = (message: ToBackground): void => channel.port1.postMessage(message);

async function until(count: number): Promise<void> {
  while (received.length < count) await new Promise((done) => setImmediate(done));
}

it('sends the positions before the answer to whoever waited for one', async () => {
  send({ type: 'waitFor', id: 7, names: ['rules'], position: '5', timeoutMs: 1_000 });
  await until(3);
  expect(received).toEqual([
    { type: 'moved', standings: [STANDING] },
    { type: 'moved', standings: [{ ...STANDING, position: '5' }] },
    { type: 'answer', id: 7, value: true },
  ]);
});

it('sends whose documents were written, and what has moved since it last did', async () => {
  await until(1);
  applied({ name: 'rules', version: 1, position: '9', documentIds: ['one/a', 'two/b', 'one/c'] });
  standing = { ...STANDING, position: '9' };
  await until(3);
  expect(received.slice(1)).toEqual([
    { type: 'changed', change: { name: 'rules', position: '9', tenantIds: ['one', 'two'] } },
    { type: 'moved', standings: [standing] },
  ]);
});

it('answers that it has stopped once it has, and then nothing more', async () => {
  const closed = new Promise((done) => channel.port1.once('close', done));
  send({ type: 'stop', id: 1 });
  await until(2);
  expect(stopped).toBe(true);
  expect(received.at(-1)).toEqual({ type: 'answer', id: 1, value: null });
  await closed;
});
