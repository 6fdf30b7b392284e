import { projections } from '../../src/projections/all.ts';
import type { KnownConnection } from './acknowledged.ts';
import { type Book, daysBefore, signedCents } from './bank-books.ts';
import { checkAcknowledged } from './checks/check-acknowledged.ts';
import { checkAutomation } from './checks/check-automation.ts';
import { checkReadModels } from './checks/check-read-models.ts';
import { checkRows } from './checks/check-rows.ts';
import { checkRuns } from './checks/check-runs.ts';
import { firstOf, type History, sortHistory, transactionAfter } from './checks/history.ts';
import { type Client, createClient } from './client.ts';
import { planFaults } from './fault-plan.ts';
import { live } from './life.ts';
import { makeWorld, type World } from './world.ts';

export type SeedResult = {
  readonly seed: number;
  /** What was found wrong; empty when all is well. */
  readonly faults: readonly string[];
  readonly traceHash: string;
  readonly lastLines: readonly string[];
  readonly faultsInjected: ReadonlyMap<string, number>;
  readonly events: number;
  readonly tasks: number;
  readonly simulatedMs: number;
};

const MOST_TASKS = 400_000;
const MOST_SETTLING_MS = 6 * 3_600_000;
const VISIBLE_WITHIN_MS = 120_000;

/** One life from one seed, and the checks after it. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const plan = planFaults(seed);
  const world = makeWorld(seed, plan);
  world.trace(`plan ${JSON.stringify(plan)}`);
  const startMs = world.scheduler.nowMs();
  const faults: string[] = [];
  try {
    faults.push(...(await world.scheduler.runUntil(wholeLife(world, plan.instances), MOST_TASKS)));
  } catch (error) {
    faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  for (const fault of faults) world.trace(`WRONG ${fault}`);
  return {
    seed,
    faults,
    traceHash: world.traceHash(),
    lastLines: world.lastLines(),
    faultsInjected: world.faultsInjected,
    events: world.logDisk.events.length,
    tasks: world.scheduler.tasksRun(),
    simulatedMs: world.scheduler.nowMs() - startMs,
  };
}

/** Runs as tasks of the scheduler: each step of it belongs to an actor. */
function wholeLife(world: World, instances: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    world.scheduler.after(0, world.nature, () => void drama(world, instances).then(resolve, reject));
  });
}

async function drama(world: World, instances: number): Promise<string[]> {
  const { scheduler, known, books, randomOf, trace } = world;
  for (let nth = 0; nth < instances; nth += 1) world.launch();
  const clientOf = (name: string): Client =>
    createClient({ actor: world.newActor(name), scheduler, instances: world.instances });
  const random = randomOf('life');
  const clients = Array.from({ length: 1 + Math.floor(random() * 2) }, (_, nth) => clientOf(`client ${nth + 1}`));
  await firstTenant(clientOf('first'));
  await Promise.all(
    clients.map((client) => {
      const actions = 4 + Math.floor(random() * 8);
      return live({ client, known, books, nowMs: scheduler.nowMs, onTrace: trace, actions });
    }),
  );
  world.endFaults();
  const auditor = clientOf('auditor');
  const synced = new Set<string>();
  await settled(world, auditor);
  for (const one of known.schedules.filter(({ status }) => status !== 'deleted')) {
    const deleted = await auditor.ask('DELETE', `/banks/schedules/${one.id}`);
    if (deleted !== 'unknown' && deleted.status < 300) one.status = 'deleted';
  }
  await settled(world, auditor);
  for (const connection of known.connections) {
    if (await syncQuietly(world, auditor, connection)) synced.add(connection.book.login);
  }
  await settled(world, auditor);
  const completeness = await checkCompleteness(auditor, known.connections, synced);
  await readModelsReached(world, auditor);
  const events = world.events();
  const history = sortHistory(events);
  const faults = [
    ...checkAcknowledged(history, known),
    ...checkRows(history, books.values(), synced),
    ...checkAutomation(history),
    ...checkRuns(history),
    ...checkReadModels(events, world.storeDisk),
    ...completeness,
  ];
  await Promise.all(world.instances().map((instance) => instance.stop()));
  return faults;
}

/** Until the first start has made its tenant, nobody can be known. */
async function firstTenant(client: Client): Promise<void> {
  for (;;) {
    const reply = await client.once('GET', '/banks/accounts');
    if (reply !== 'unknown' && reply.status === 200) return;
    await client.pause(500);
  }
}

/** What is open, from the log alone. */
function openWork(history: History): string[] {
  const open: string[] = [];
  for (const [id, events] of history.of('syncRun')) {
    const end = events.at(-1)?.type ?? '';
    if (!['SyncCompleted', 'SyncFailed', 'SyncCancelled'].includes(end)) open.push(`sync ${id}`);
  }
  for (const [id, events] of history.of('ruleRun')) {
    const ends = ['RunCompleted', 'RunCancelled', 'RunDied'];
    if (!events.some(({ type }) => ends.includes(type))) open.push(`run ${id}`);
  }
  for (const [id, events] of history.of('scheduleRun')) {
    if (firstOf(events, 'ScheduleRunEnded') === undefined) open.push(`turn ${id}`);
  }
  for (const [id, events] of history.of('bankConnection')) {
    const asked = events.findLast(({ type }) => type === 'ConnectionSetupRequested');
    const done = events.findLast(({ type }) => type === 'ConnectionSetUp' || type === 'ConnectionSetupFailed');
    if (asked !== undefined && asked.position > (done?.position ?? '')) open.push(`setup of ${id}`);
  }
  for (const [id, events] of history.of('bankTransaction')) {
    const { status } = transactionAfter(events).automation;
    if (status === 'pending' || status === 'retry') open.push(`automation of ${id}`);
  }
  return open;
}

async function settled(world: World, auditor: Client): Promise<void> {
  const untilMs = world.scheduler.nowMs() + MOST_SETTLING_MS;
  for (;;) {
    await auditor.pause(1_000);
    const open = openWork(sortHistory(world.events()));
    if (open.length === 0) return;
    if (world.scheduler.nowMs() > untilMs) throw new Error(`it does not settle: ${open.slice(0, 5)} remain open`);
  }
}

/** A sync of everything without faults; false for a connection without credentials. */
async function syncQuietly(world: World, auditor: Client, connection: KnownConnection): Promise<boolean> {
  if (!connection.hasCredentials) return false;
  const path = `/banks/accounts/${connection.id}`;
  const setUp = await auditor.ask('POST', `${path}/setup`);
  if (setUp === 'unknown' || setUp.status >= 300) throw new Error(`no setup without faults: ${JSON.stringify(setUp)}`);
  await settled(world, auditor);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const synced = await auditor.ask('POST', `${path}/sync`, { from: daysBefore(world.scheduler.nowMs(), 8) });
    if (synced !== 'unknown' && synced.status < 300) {
      await settled(world, auditor);
      const syncs = [...sortHistory(world.events()).of('syncRun').values()];
      const own = syncs.filter((events) => firstOf(events, 'SyncRequested')?.accountId === connection.id);
      const last = own.at(-1)?.at(-1);
      if (last?.type === 'SyncCompleted') return true;
      throw new Error(`a sync without faults ended with ${JSON.stringify(last)}`);
    }
    await auditor.pause(3_000);
  }
  throw new Error(`${connection.title} cannot be synced without faults`);
}

/** The answer about complete days is what the bank's books say. */
async function checkCompleteness(
  auditor: Client,
  connections: readonly KnownConnection[],
  synced: ReadonlySet<string>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { id, title, book } of connections.filter((one) => synced.has(one.book.login))) {
    const health = await auditor.ask('GET', `/banks/accounts/${id}/health`);
    if (health === 'unknown' || health.status !== 200) {
      faults.push(`${title}: no health`);
      continue;
    }
    const shown = JSON.stringify(health.result.completeness.map(asGaps));
    const expected = JSON.stringify(book.accounts.map((account) => gapsOf(book, account)));
    if (shown !== expected) faults.push(`${title} shows ${shown}, and the bank has ${expected}`);
  }
  return faults;
}

type Shown = { currency: string; status: string; gaps: { day: string; difference: number }[] };

function asGaps({ currency, status, gaps }: Shown) {
  return { currency, status, gaps: gaps.map(({ day, difference }) => [day, Math.round(difference * 100)]) };
}

function gapsOf(book: Book, { currency, rows }: Book['accounts'][number]) {
  const missing = new Map<string, number>();
  for (const row of rows.filter(({ hidden }) => hidden)) {
    missing.set(row.day, (missing.get(row.day) ?? 0) + signedCents(row));
  }
  const gaps = [...missing].filter(([, cents]) => cents !== 0).sort(([one], [other]) => (one < other ? -1 : 1));
  const isChecked = book.bankCode === 'content' && rows.length > 0;
  return { currency, status: gaps.length > 0 ? 'gaps' : isChecked ? 'complete' : 'unknown', gaps };
}

/** Every read model contains the whole log, and nothing is added meanwhile. */
async function readModelsReached(world: World, auditor: Client): Promise<void> {
  const names = projections.map(({ name }) => name);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const services = world.instances().flatMap((instance) => instance.service() ?? []);
    const [service] = services;
    const before = world.logDisk.events.length;
    const head = world.events().at(-1)?.position ?? '';
    if (service !== undefined) {
      const reached = await service.httpServices.waitFor(names, head, VISIBLE_WITHIN_MS);
      if (!reached) {
        const states = service.runner?.status().filter(({ position }) => position < head);
        throw new Error(`read models stay behind ${head}: ${JSON.stringify(states)}`);
      }
      if (world.logDisk.events.length === before) return;
    }
    await auditor.pause(1_000);
  }
  throw new Error('the log does not come to rest');
}
