import { FIRST_TENANT_ID } from '../../src/identity/bootstrap.ts';
import { projections } from '../../src/projections/all.ts';
import { collectionName } from '../../src/projections/engine/runnable.ts';
import { sha256 } from '../../src/shared/hash.ts';
import { type KnownConnection, type LivingTenant, nothingYet } from './acknowledged.ts';
import { dayOf } from './bank-books.ts';
import { checkAcknowledged } from './checks/check-acknowledged.ts';
import { checkCompleteness, checkIntegrity } from './checks/check-answers.ts';
import { checkAutomation } from './checks/check-automation.ts';
import { checkReadModels } from './checks/check-read-models.ts';
import { checkRows } from './checks/check-rows.ts';
import { checkRuns } from './checks/check-runs.ts';
import { checkSchedules } from './checks/check-schedules.ts';
import { checkSyncs } from './checks/check-syncs.ts';
import { sortHistory } from './checks/history.ts';
import { type Client, createClient, type Headers } from './client.ts';
import { planFaults } from './fault-plan.ts';
import { API_KEY, API_SECRET, COMPANY, OPERATOR_TOKEN } from './instances.ts';
import { live } from './life.ts';
import { readModelsReached, settled, syncQuietly } from './settling.ts';
import { jsonOf, type StoreDisk } from './simulated-read-store.ts';
import { type FaultPlan, makeWorld, type World } from './world.ts';

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
const LEASES_LOST_BY = ['instance: frozen', 'clock: jump', 'leases: lost'];
const FIRST_TENANT: Headers = { 'x-api-key': API_KEY, 'x-api-secret': API_SECRET, 'x-company-id': COMPANY };

/** One life from one seed, and the checks after it. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const plan = planFaults(seed);
  const world = makeWorld(seed, plan);
  world.trace(`plan ${JSON.stringify(plan)}`);
  const startMs = world.scheduler.nowMs();
  const faults: string[] = [];
  try {
    faults.push(
      ...(await world.scheduler.runUntil(
        asNature(world, () => wholeLife(world, plan)),
        MOST_TASKS,
      )),
    );
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

/** As a task of the scheduler: each step of it belongs to an actor. */
function asNature<T>({ scheduler, nature }: World, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    scheduler.after(0, nature, () => void work().then(resolve, reject));
  });
}

async function wholeLife(world: World, plan: FaultPlan): Promise<string[]> {
  const { scheduler, books, randomOf, trace } = world;
  for (const role of plan.instances) world.launch(role);
  const clientOf = (name: string, headers: Headers): Client =>
    createClient({ actor: world.newActor(name), scheduler, instances: world.instances, headers });
  const first = { tenantId: FIRST_TENANT_ID, headers: FIRST_TENANT, known: nothingYet() };
  await becomesKnown(clientOf('first', first.headers));
  const operator = clientOf('operator', { authorization: `Bearer ${OPERATOR_TOKEN}` });
  const second = plan.secondTenant ? await addTenant(operator) : null;
  const tenants: LivingTenant[] = second === null ? [first] : [first, second];
  // Made while no read model moves, its key is unknown until they move again.
  if (second !== null) await becomesKnown(clientOf('second', second.headers));

  const random = randomOf('life');
  const lives = tenants.flatMap(({ headers, known }, nth) =>
    Array.from({ length: 1 + Math.floor(random() * 2) }, (_, place) => {
      const client = clientOf(`client ${nth + 1}.${place + 1}`, headers);
      const actions = 4 + Math.floor(random() * 8);
      return live({ client, known, books, nowMs: scheduler.nowMs, onTrace: trace, actions });
    }),
  );
  await Promise.all(lives);

  await world.endFaults();
  await settled(world);
  const faults: string[] = [];
  for (const [nth, tenant] of tenants.entries()) {
    faults.push(...(await checkTenant(world, tenant, clientOf(`auditor ${nth + 1}`, tenant.headers))));
  }
  await readModelsReached(world);
  trace(`documents ${digestOf(world.storeDisk)}`);
  faults.push(...checkReadModels(world.events(), world.storeDisk));
  faults.push(...[...world.busyLoops].map((kind) => `a loop without a pause: ${kind}`));
  await Promise.all(world.instances().map((instance) => instance.stop()));
  return faults;
}

/** Until the first start has made its tenant and the read models show it, nobody is known. */
async function becomesKnown(client: Client): Promise<void> {
  for (;;) {
    const reply = await client.once('GET', '/banks/accounts');
    if (reply !== 'unknown' && reply.status === 200) return;
    await client.pause(500);
  }
}

/** Null where that was never answered: then nobody knows the key of the tenant. */
async function addTenant(operator: Client): Promise<LivingTenant | null> {
  const body = { name: 'Second tenant', adminEmail: 'second@example.com' };
  const added = await operator.ask('POST', '/operator/tenants', body);
  if (added === 'unknown') return null;
  if (added.status !== 201) throw new Error(`no second tenant: ${JSON.stringify(added)}`);
  const { tenant, company, apiKey } = added.result;
  const headers = { 'x-api-key': apiKey.key, 'x-api-secret': apiKey.secret, 'x-company-id': company.id };
  return { tenantId: tenant.id, headers, known: nothingYet() };
}

/** Ends what would go on for ever, syncs everything once more, and compares all with what was acknowledged. */
async function checkTenant(world: World, tenant: LivingTenant, auditor: Client): Promise<string[]> {
  const { known, tenantId } = tenant;
  const books = [...world.books.values()];
  for (const one of known.schedules.filter(({ status }) => status !== 'deleted')) {
    const deleted = await auditor.ask('DELETE', `/banks/schedules/${one.id}`);
    if (deleted === 'unknown') one.certain = false;
    else one.status = 'deleted';
  }
  await settled(world);
  const complete: KnownConnection[] = [];
  for (const connection of known.connections) {
    if (await syncQuietly(world, auditor, connection)) complete.push(connection);
  }
  await settled(world);
  await readModelsReached(world);
  const answers = [
    ...(await checkCompleteness(auditor, complete, dayOf(world.scheduler.nowMs()))),
    ...(await checkIntegrity(auditor)),
  ];
  const history = sortHistory(world.events().filter(({ metadata }) => metadata.tenantId === tenantId));
  return [
    ...checkAcknowledged(history, known),
    ...checkRows(history, books, new Set(complete.map(({ book }) => book.login))),
    ...checkSyncs(history, books),
    ...checkAutomation(history),
    ...checkRuns(history),
    ...checkSchedules(history, !LEASES_LOST_BY.some((kind) => world.faultsInjected.has(kind))),
    ...answers,
  ];
}

/** Of all documents of read models, in any order. */
function digestOf({ collections }: StoreDisk): string {
  const names = projections.map((projection) => collectionName(projection));
  const documents = names.flatMap((name) => [...(collections.get(name)?.values() ?? [])].map((one) => jsonOf(one)));
  return sha256(documents.sort().join('\n'));
}
