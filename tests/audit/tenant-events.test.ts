import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tenantEvents } from '../../src/audit/tenant-events.ts';
import type { EventLog } from '../../src/log/log.ts';
import { LogCorrupted } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { type HistoryDocument, history } from '../../src/projections/history.ts';
import type { ReadModels } from '../../src/queries/read-models.ts';
import type { Find } from '../../src/readstore/read-store.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { newId } from '../../src/shared/ids.ts';
import { recorded } from '../support/facts.ts';
import { type SmallWorld, smallWorld } from '../support/small-reactor-services.ts';

let world: SmallWorld;
beforeEach(async () => {
  world = await smallWorld(systemClock, [history]);
});
afterEach(() => world.stop());

/** Appends one event for each tenant named, in that order. */
async function append(tenants: readonly string[]): Promise<string> {
  const appends = tenants.map((tenantId) => {
    const transactionId = newId();
    const metadata = {
      schemaVersion: 1,
      tenantId,
      companyId: 'company',
      actor: { type: 'system' as const, id: 'test' },
      correlationId: 'test',
      causationId: null,
    };
    return {
      stream: streamName('bankTransaction', tenantId, transactionId),
      expected: 'no-stream' as const,
      events: [{ id: newId(), ...recorded({ transactionId }), metadata }],
    };
  });
  const results = await world.services.log.appendMany(appends);
  const last = results.at(-1);
  const position = last?.outcome === 'appended' ? last.position : '';
  await world.runner.waitFor([history.name], position, 100_000);
  return position;
}

/** The log with its reads counted. */
function counted(log: EventLog): { log: EventLog; reads: { together: number; alone: number } } {
  const reads = { together: 0, alone: 0 };
  const counting: EventLog = {
    ...log,
    readAll: (options) => {
      reads.together += 1;
      return log.readAll(options);
    },
    readStreamPositions: (stream, options) => {
      reads.alone += 1;
      return log.readStreamPositions(stream, options);
    },
  };
  return { log: counting, reads };
}

async function idsOf(log: EventLog, readModels: ReadModels, tenantId: string, after = ''): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  for await (const { event } of tenantEvents({ log, readModels }, tenantId, { after })) ids.push(event?.id ?? null);
  return ids;
}

describe('the events of a tenant', () => {
  it('are listed, read, and made into something else in the pieces that take turns, and nowhere else', async () => {
    const { log, readModels } = world.services;
    await append(Array<string>(40).fill('a'));
    let isInPiece = false;
    let pieces = 0;
    const wasInPiece: boolean[] = [];
    const note = (): void => {
      wasInPiece.push(isInPiece);
    };
    const noting: EventLog = {
      ...log,
      readAll: (options) => {
        note();
        return log.readAll(options);
      },
    };
    const source = {
      log: noting,
      readModels,
      async pace<T>(piece: () => Promise<T>): Promise<T> {
        isInPiece = true;
        pieces += 1;
        return piece().finally(() => {
          isInPiece = false;
        });
      },
    };
    const made: (string | undefined)[] = [];
    const make = ({ id }: { id: string }): string => {
      note();
      return id;
    };
    for await (const found of tenantEvents(source, 'a', { after: '', make })) {
      expect(found.made).toBe(found.event?.id);
      made.push(found.made);
    }
    expect(new Set(made).size).toBe(40);
    expect(new Set(wasInPiece)).toEqual(new Set([true]));
    // One that lists, and three that read 16 each.
    expect(pieces).toBe(4);
  });

  it('are read by the group where the log holds few others', async () => {
    const { log, readModels } = world.services;
    await append(Array.from({ length: 160 }, (_, nth) => (nth % 16 === 3 ? 'b' : 'a')));
    const { log: counting, reads } = counted(log);
    expect(await idsOf(counting, readModels, 'a')).toHaveLength(150);
    expect(reads.together).toBe(10);
    expect(reads.alone).toBeLessThanOrEqual(20);
  });

  it('are read each by itself, but for one group in 32, where the log holds mostly others', async () => {
    const { log, readModels } = world.services;
    await append(Array.from({ length: 3_000 }, (_, nth) => (nth % 10 === 9 ? 'a' : 'b')));
    const { log: counting, reads } = counted(log);
    expect(await idsOf(counting, readModels, 'a')).toHaveLength(300);
    expect(reads.together).toBe(1);
    expect(reads.alone).toBeLessThanOrEqual(300);
  });

  it('are the same in any mixture, from any position', async () => {
    const { log, readModels } = world.services;
    const mixture = fc.array(fc.constantFrom('a', 'a', 'a', 'b', 'c'), { minLength: 1, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(mixture, async (tenants) => {
        const after = await log.head();
        await append(tenants);
        const { events } = await log.readAll({ after, limit: 1_000 });
        for (const tenant of ['a', 'b', 'c']) {
          const own = events.filter(({ metadata }) => metadata.tenantId === tenant).map(({ id }) => id);
          expect(await idsOf(log, readModels, tenant, after)).toEqual(own);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('are listed four blocks of the history at a time, however many there are', async () => {
    const { log, readModels } = world.services;
    await append(Array<string>(1_500).fill('a'));
    const limits: (number | undefined)[] = [];
    const watched = {
      ...readModels,
      readable: async () => {
        const readable = await readModels.readable(history);
        const find = (asked: Find): Promise<HistoryDocument[]> => {
          limits.push(asked.limit);
          return readable.collection.find(asked);
        };
        return { ...readable, collection: { ...readable.collection, find } };
      },
    } as unknown as ReadModels;
    expect(await idsOf(log, watched, 'a')).toHaveLength(1_500);
    expect(limits.slice(1)).toEqual([4, 4, 4, 4]);
  });

  it('are missing where the log does not hold them in their place, and those beside them are not', async () => {
    const { log, readModels } = world.services;
    await append(Array.from({ length: 20 }, () => 'a'));
    const all = await idsOf(log, readModels, 'a');
    const moved = {
      ...readModels,
      readable: async () => {
        const readable = await readModels.readable(history);
        const find = async (asked: Find): Promise<HistoryDocument[]> =>
          (await readable.collection.find(asked)).map((block) => ({
            ...block,
            revisions: block.revisions.with(4, 1),
            eventIdStarts: block.eventIdStarts.with(9, '00000000-0000-7000-8000-0000'),
          }));
        return { ...readable, collection: { ...readable.collection, find } };
      },
    } as unknown as ReadModels;
    expect(await idsOf(log, moved, 'a')).toEqual(all.map((id, nth) => (nth === 4 || nth === 9 ? null : id)));
  });

  it('are found beside an event of another tenant that cannot be read', async () => {
    const { log, readModels } = world.services;
    await append(['a', 'b', 'a']);
    const damaged: EventLog = {
      ...counted(log).log,
      readAll: async () => {
        throw new LogCorrupted('the event at position 2 was altered');
      },
    };
    expect(await idsOf(damaged, readModels, 'a')).toHaveLength(2);
  });
});
