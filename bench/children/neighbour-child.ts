import { carryOn, type Load, type Neighbour } from '../fixtures/neighbour-loads.ts';
import { answerParent } from './messages.ts';

// A tenant that loads the service, in a process of its own, so that its own work slows down nothing else.
const neighbour = JSON.parse(process.env.NEIGHBOUR ?? '{}') as Neighbour;
const load = process.env.LOAD as Load;
const stopping = new AbortController();
let failure: string | null = null;
const statuses = carryOn(load, neighbour, stopping.signal).catch((error: unknown) => {
  failure = String(error);
  return new Map<number, number>();
});
answerParent({
  ready: null,
  answer: async () => {
    stopping.abort();
    return { statuses: [...(await statuses)], failure };
  },
  stop: async () => {
    stopping.abort();
    await statuses;
  },
});
