import { randomUUID } from 'node:crypto';
import type { Collection as StoredCollection } from 'mongodb';
import { isoTime } from '../../shared/clock.ts';
import type { Lease, Leases } from '../read-store.ts';
import { inOneBatch, limited } from './call-limits.ts';
import type { Call } from './mongodb-collection.ts';
import { duplicatesIn, isDuplicateKey } from './mongodb-errors.ts';

/** `fence` 0: claimed, and no number assigned yet. `claim` identifies this acquisition of the lease. */
type StoredLease = { _id: string; owner: string; fence: number; untilMs: number; claim: string };

type FenceCounter = { _id: string; last: number };

/**
 * Released leases leave no document: fences are drawn from one counter for all names. They are drawn only after the
 * claim stands, so that a later owner of a name always has the higher one, however slow the earlier one was.
 */
export class MongoDbLeases implements Leases {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async acquireMany(names: readonly string[], owner: string, ttlMs: number, nowMs: number): Promise<Lease[]> {
    if (names.length === 0) return [];
    const wanted = [...new Set(names)];
    const untilMs = nowMs + ttlMs;
    const own = { _id: { $in: wanted }, owner: { $eq: owner }, fence: { $gt: 0 } };
    await this.#onLeases((leases) => leases.updateMany(own, { $set: { untilMs } }, limited));
    const present = await this.#onLeases((leases) =>
      leases.find({ _id: { $in: wanted } }, inOneBatch(wanted)).toArray(),
    );
    const held = present.filter((lease) => lease.owner === owner && lease.fence > 0);
    const free = present.filter((lease) => (lease.owner === owner ? lease.fence === 0 : lease.untilMs <= nowMs));
    const known = new Set(present.map((lease) => lease._id));
    const absent = wanted.filter((name) => !known.has(name));
    const taken = await this.#claim(absent, free, { owner, fence: 0, untilMs, claim: randomUUID() });
    return [...held, ...taken].map(leaseOf);
  }

  async releaseMany(names: readonly string[], owner: string): Promise<void> {
    if (names.length === 0) return;
    await this.#onLeases((leases) => leases.deleteMany({ _id: { $in: [...names] }, owner: { $eq: owner } }, limited));
  }

  async getMany(names: readonly string[]): Promise<Map<string, Lease>> {
    const filter = { _id: { $in: [...names] }, fence: { $gt: 0 } };
    const found = await this.#onLeases((leases) => leases.find(filter, inOneBatch(names)).toArray());
    return new Map(found.map((lease) => [lease._id, leaseOf(lease)]));
  }

  #onLeases<T>(use: (leases: StoredCollection<StoredLease>) => Promise<T>): Promise<T> {
    return this.#call((database) => use(database.collection<StoredLease>('store.leases')));
  }

  async #claim(
    absent: readonly string[],
    free: readonly StoredLease[],
    next: Omit<StoredLease, '_id'>,
  ): Promise<StoredLease[]> {
    if (absent.length + free.length === 0) return [];
    if (absent.length > 0) {
      const documents = absent.map((name) => ({ _id: name, ...next }));
      // Those that another owner acquired first are left out.
      await this.#onLeases((leases) => leases.insertMany(documents, { ...limited, ordered: false })).catch(
        duplicatesIn,
      );
    }
    if (free.length > 0) {
      const operations = free.map(({ _id, claim, untilMs }) => ({
        updateOne: { filter: { _id, claim: { $eq: claim }, untilMs: { $eq: untilMs } }, update: { $set: next } },
      }));
      await this.#onLeases((leases) => leases.bulkWrite(operations, { ...limited, ordered: false }));
    }
    const names = [...absent, ...free.map((lease) => lease._id)];
    const ours = { _id: { $in: names }, claim: { $eq: next.claim } };
    const claimed = await this.#onLeases((leases) => leases.find(ours, inOneBatch(names)).toArray());
    if (claimed.length === 0) return [];
    const last = await this.#drawFences(claimed.length);
    const numbering = claimed.map(({ _id }, at) => ({
      updateOne: {
        filter: { _id, claim: { $eq: next.claim } },
        update: { $set: { fence: last - claimed.length + 1 + at } },
      },
    }));
    await this.#onLeases((leases) => leases.bulkWrite(numbering, { ...limited, ordered: false }));
    return this.#onLeases((leases) => leases.find({ ...ours, fence: { $gt: 0 } }, inOneBatch(names)).toArray());
  }

  /** Reserves that many new numbers; returns the last one. */
  async #drawFences(count: number): Promise<number> {
    const options = { ...limited, upsert: true, returnDocument: 'after' } as const;
    const draw = () =>
      this.#call((database) =>
        database
          .collection<FenceCounter>('store.fences')
          .findOneAndUpdate({ _id: 'fence' }, { $inc: { last: count } }, options),
      );
    // Of two instances that create the counter at once, one finds it created.
    const counter = await draw().catch((error: unknown) => {
      if (isDuplicateKey(error)) return draw();
      throw error;
    });
    if (counter === null) throw new Error('the fence counter did not answer with its number');
    return counter.last;
  }
}

function leaseOf(stored: StoredLease): Lease {
  return { name: stored._id, owner: stored.owner, fence: stored.fence, until: isoTime(stored.untilMs) };
}
