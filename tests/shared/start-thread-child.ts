import { once } from 'node:events';
import { cachedDataVersionTag } from 'node:v8';
import { startThread } from '../../src/shared/start-thread.ts';

/** Starts a thread and prints what V8 makes of its options, here and there: a number that differs with each option. */
const BODY =
  'data:text/javascript,import { parentPort } from "node:worker_threads";' +
  'import { cachedDataVersionTag } from "node:v8"; parentPort.postMessage(cachedDataVersionTag());';

const [there] = await once(startThread(new URL(BODY), {}), 'message');
process.stdout.write(JSON.stringify({ here: cachedDataVersionTag(), there }));
