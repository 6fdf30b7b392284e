import { parentPort, workerData } from 'node:worker_threads';
import type { DaySegment } from './day-segment.ts';
import { placeRows } from './row-places.ts';

// Compares the statements of one day, then ends.
parentPort?.postMessage(placeRows(workerData as readonly DaySegment[]));
