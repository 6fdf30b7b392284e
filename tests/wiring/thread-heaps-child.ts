import { once } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { heapAsHere, limitThreadsByThemselves } from '../../src/wiring/thread-heaps.ts';

const BODY = `require('node:worker_threads').parentPort.postMessage(require('node:v8').getHeapStatistics().heap_size_limit)`;

async function limitOf(resourceLimits: ResourceLimits): Promise<number> {
  const [limit] = await once(new Worker(BODY, { eval: true, resourceLimits }), 'message');
  return Math.round(limit / 1024 / 1024);
}

// Prints the heap limits of this thread and of others that it starts, in MiB.
limitThreadsByThemselves();
const main = Math.round(getHeapStatistics().heap_size_limit / 1024 / 1024);
const small = await limitOf({ maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 });
const asHere = await limitOf(heapAsHere());
process.stdout.write(JSON.stringify({ main, small, asHere }));
