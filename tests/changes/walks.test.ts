import { createSecretKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventCodec } from '../../src/events/registry.ts';
import type { HttpServices } from '../../src/http/core/http-services.ts';
import { FROM_THE_START, openChangeCursor } from '../../src/http/paging/change-cursor.ts';
import { changeStream } from '../../src/http/routes/changes/change-stream.ts';
import type { ChangeWalk } from '../../src/http/routes/changes/change-walk.ts';
import { shownChanges } from '../../src/http/routes/changes/shown-changes.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { type ProjectionRunner, startProjections } from '../../src/projections/engine/projection-runner.ts';
import { openReadModels, type ReadModels } from '../../src/projections/engine/read-models.ts';
import { openSettledReads, type SettledReads } from '../../src/projections/engine/settled-reads.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { CHANGE_TYPES, type ChangeType, changeFeeds, pageOfChanges } from '../../src/queries/changes.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { Document } from '../../src/readstore/read-store.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createCostlyRequests } from '../../src/traffic/costly-requests.ts';
import { changingTenant } from '../support/changing-tenant.ts';
import { seededRandom } from '../support/random.ts';

const LIVES = 200;
const TENANT = 'tenant-one';
const LONG_MS = 20_000;
const TIMING = { tickMs: 5, pollMs: 2, backoffFirstMs: 1, backoffMostMs: 5 };
const CURSOR_KEY = createSecretKey(Buffer.alloc(32, 7));

type Step =
  | { readonly do: 'happen'; readonly times: number; readonly awaited: boolean }
  | { readonly do: 'read'; readonly limit: number }
  | { readonly do: 'restart' | 'rebuild' | 'compare' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('happen'), times: fc.integer({ min: 1, max: 12 }), awaited: fc.boolean() }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('read'), limit: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart', 'rebuild', 'compare') }) },
) as fc.Arbitrary<Step>;

const life = fc.record({
  seed: fc.integer(),
  company: fc.constantFrom(null, 'company-a'),
  types: fc.constantFrom<readonly ChangeType[]>(CHANGE_TYPES, ['transaction'], ['rule', 'schedule', 'sync']),
  steps: fc.array(step, { minLength: 5, maxLength: 25 }),
});

/** A service's read models over one log, whose versions can be raised as a release would. */
async function openLife(seed: number) {
  const folder = mkdtempSync(join(tmpdir(), 'changes-'));
  const log = openEmbeddedLog({ file: join(folder, 'log.sqlite'), codec: eventCodec });
  const readStore = openEmbeddedReadStore({ file: ':memory:' });
  const random = seededRandom(seed);
  let release = 0;
  // Which version is live is looked up at some reads, and is remembered at others.
  let nowMs = 0;
  const clock = { now: () => (nowMs += random() < 0.5 ? 0 : 1_000) };
  let runner: ProjectionRunner;
  let readModels: ReadModels;
  let settled: SettledReads;
  const ofRelease = (projection: Projection): Projection => ({ ...projection, version: projection.version + release });
  const names = CHANGE_TYPES.map((type) => changeFeeds[type].projection.name);

  async function start(): Promise<void> {
    const projections = CHANGE_TYPES.map((type) => ofRelease(changeFeeds[type].projection));
    runner = startProjections({ log, readStore, projections, clock: systemClock, owner: 'one', timing: TIMING });
    readModels = await openReadModels({ readStore, projections, clock });
    const { appliedHere } = runner;
    settled = openSettledReads({ log, readStore, readModels, appliedHere });
  }
  await start();
  return {
    random,
    tenant: changingTenant(log, TENANT, random),
    reads: { of: (projections: readonly Projection[]) => settled.of(projections.map(ofRelease)) },
    reach: (position: string) => runner.waitFor(names, position, LONG_MS),
    head: () => log.head(),
    readStore,
    async restart(raised: number) {
      await runner.stop();
      release += raised;
      await start();
    },
    /** The documents that reads find. */
    async lists(types: readonly ChangeType[], company: string | null): Promise<Map<string, Document>> {
      const found = new Map<string, Document>();
      for (const type of types) {
        const documents = readModels.of(ofRelease(changeFeeds[type].projection)).iterate({ filter: [], sort: [] });
        for await (const document of documents) {
          const { companyId, deleted = false, id } = document as Document & Record<string, never>;
          if (!deleted && (company === null || companyId === company)) found.set(`${type} ${id}`, document);
        }
      }
      return found;
    },
    async close() {
      await runner.stop();
      await readStore.close();
      await log.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Life = Awaited<ReturnType<typeof openLife>>;

type Seen = { type: string; id: string; kind: string; position: string };

/** What a client keeps of what it was shown, and what it may rely on. */
function openCopy<Resource>() {
  const known = new Map<string, Resource>();
  const ever = new Set<string>();
  let last = '';
  return {
    known,
    take(change: Seen, resource: Resource | null) {
      const name = `${change.type} ${change.id}`;
      const order = `${change.position} ${change.type} ${change.id}`;
      // Never the same change again, and never one before another.
      expect(order > last, `${order} after ${last}`).toBe(true);
      last = order;
      if (!ever.has(name)) expect([name, change.kind]).toEqual([name, resource === null ? 'withdrawn' : 'created']);
      ever.add(name);
      if (resource === null) known.delete(name);
      else known.set(name, resource);
    },
  };
}

async function live(
  steps: readonly Step[],
  act: {
    read: (of: Life, limit: number) => Promise<void>;
    compare: (of: Life) => Promise<void>;
  },
  of: Life,
): Promise<void> {
  const pending: Promise<string>[] = [];
  const settle = async (): Promise<void> => {
    for (const position of await Promise.all(pending.splice(0))) await of.reach(position);
  };
  for (const one of steps) {
    if (one.do === 'happen') {
      for (let time = 0; time < one.times; time += 1) {
        const happened = of.tenant.happen();
        pending.push(happened);
        if (one.awaited) await happened;
      }
    } else if (one.do === 'read') await act.read(of, one.limit);
    else if (one.do === 'compare') {
      await settle();
      await act.compare(of);
    } else await of.restart(one.do === 'rebuild' ? 1 : 0);
  }
  await settle();
  await act.compare(of);
}

describe('a walk of the changes that is kept up', () => {
  it('equals the lists at every pause, while read models are rebuilt', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ seed, company, types, steps }) => {
        const of = await openLife(seed);
        const scope = { tenantId: TENANT, companies: company === null ? null : [company] };
        const copy = openCopy<Document>();
        let after = FROM_THE_START;
        const read = async ({ reads }: Life, limit: number): Promise<boolean> => {
          const page = await pageOfChanges(reads, scope, { types, after, limit });
          for (const change of page.items) copy.take(change, change.document);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          after = page.next;
          return page.more;
        };
        const compare = async (at: Life): Promise<void> => {
          const head = await at.head();
          // A remembered version may have been replaced meanwhile; the next look finds the new one.
          while ((await read(at, 5)) || after.position < head) await new Promise((done) => setImmediate(done));
          expect(copy.known).toEqual(await at.lists(types, company));
        };
        try {
          await live(steps, { read: async (at, limit) => void (await read(at, limit)), compare }, of);
        } finally {
          await of.close();
        }
      }),
      { numRuns: LIVES },
    );
  });

  it('equals the lists over the event stream too, cut off anywhere', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ seed, company, types, steps }) => {
        const of = await openLife(seed);
        const services = {
          settledReads: of.reads,
          costlyRequests: createCostlyRequests({ requests: 4, exports: 4 }),
          cursorKey: CURSOR_KEY,
          clock: { now: () => 0 },
          leases: of.readStore.leases,
        } as unknown as HttpServices;
        const companies = company === null ? null : [company];
        const filter = { types: [...types], companies };
        const walk: ChangeWalk = { services, tenantId: TENANT, types, companies, filter };
        const copy = openCopy<unknown>();
        let lastEventId: string | undefined;

        /** Reads until the stream is quiet, the client has enough, or the connection is cut, maybe within an event. */
        async function connect(enough: number): Promise<void> {
          const over = new AbortController();
          const from = lastEventId && openChangeCursor(CURSOR_KEY, TENANT, filter, lastEventId);
          const changed = async (): Promise<void> => over.abort();
          const held = { signal: over.signal, changed, release: () => over.abort() };
          const reader = changeStream(walk, from || FROM_THE_START, held).getReader();
          const decoder = new TextDecoder();
          let text = '';
          for (let events = 0; events < enough; ) {
            const { value, done } = await reader.read();
            if (done) break;
            const whole = decoder.decode(value, { stream: true });
            const arrived = of.random() < 0.2 ? whole.slice(0, Math.floor(of.random() * whole.length)) : whole;
            text += arrived;
            const messages = text.split('\n\n');
            text = messages.pop() ?? '';
            for (const message of messages) {
              const fields = new Map(message.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
              lastEventId = fields.get('id') ?? lastEventId;
              const data = fields.get('data');
              if (data === undefined) continue;
              const { resource, ...change } = JSON.parse(data);
              copy.take(change, resource);
              events += 1;
            }
            if (arrived !== whole) break;
          }
          await reader.cancel();
        }

        const compare = async (at: Life): Promise<void> => {
          const scope = { tenantId: TENANT, companies };
          const expected = new Map<string, unknown>();
          let after = FROM_THE_START;
          const head = await at.head();
          for (let more = true; more || after.position < head; ) {
            const page = await pageOfChanges(at.reads, scope, { types, after, limit: 50 });
            const shown = await shownChanges(services, page.items);
            page.items.forEach(({ type, id, document }, place) => {
              const name = `${type} ${id}`;
              if (document === null) expected.delete(name);
              else expected.set(name, JSON.parse(JSON.stringify(shown[place]?.resource)));
            });
            ({ more, next: after } = page);
            await new Promise((done) => setImmediate(done));
          }
          expect(new Set(expected.keys())).toEqual(new Set((await at.lists(types, company)).keys()));
          for (let left = 1_000; !isSame(copy.known, expected) && left > 0; left -= 1) {
            await connect(Infinity);
            // What projections do needs turns of the event loop, and a stream of what is in memory takes none.
            await new Promise((done) => setImmediate(done));
          }
          expect(copy.known).toEqual(expected);
        };
        try {
          await live(steps, { read: (_, limit) => connect(limit), compare }, of);
        } finally {
          await of.close();
        }
      }),
      { numRuns: LIVES },
    );
  });
});

function isSame(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  const sorted = (of: ReadonlyMap<string, unknown>) => JSON.stringify([...of].sort());
  return sorted(one) === sorted(other);
}
