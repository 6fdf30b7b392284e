import { createHash } from 'node:crypto';
import type { Collection, Document, Filter } from '../readstore/read-store.ts';
import { canonicalJson } from '../shared/hash.ts';
import { differencesBetween } from './differences.ts';

export type ReplayDifference = {
  readonly documentId: string;
  /** `missing`: only the replay has it; `extra`: only the live read model has it. */
  readonly kind: 'missing' | 'extra' | 'different';
  /** The fields that differ, at most 20. */
  readonly paths: readonly string[];
};

export type ReadModelComparison = {
  readonly name: string;
  readonly documents: number;
  readonly liveDocuments: number;
  /** SHA-256 over what could be compared, in the order of ids. */
  readonly digest: string;
  readonly liveDigest: string;
  /** Documents that changed after the position, whose state at the position the live read model no longer holds. */
  readonly changedSince: number;
  readonly equal: boolean;
  /** The first 100. */
  readonly differences: readonly ReplayDifference[];
};

const MOST_DIFFERENCES = 100;
const MOST_PATHS = 20;

/** Pairs of documents that are compared at a stretch: some 5 ms. */
const PART = 100;

type Comparable = Pick<Collection, 'iterate'>;
type Pair = readonly [live: Document | undefined, replayed: Document | undefined];

/**
 * Compares a live read model with its replay in the order of ids, in constant memory.
 * @param options.stoodThen returns a live document as it stood at the position, undefined where it did not exist, null
 * where that is unknown
 * @param options.pace runs the comparison of a part; unless given, it runs immediately
 */
export async function compareReplay(options: {
  readonly name: string;
  readonly live: Comparable;
  readonly replayed: Comparable;
  readonly filter: Filter;
  readonly position: string;
  readonly stoodThen: (document: Document) => Promise<Document | undefined | null>;
  readonly pace?: (part: () => Promise<void>) => Promise<void>;
}): Promise<ReadModelComparison> {
  const { name, filter, position, stoodThen, pace = (part) => part() } = options;
  const [digest, liveDigest] = [createHash('sha256'), createHash('sha256')];
  const differences: ReplayDifference[] = [];
  let [documents, liveDocuments, changedSince, unequal] = [0, 0, 0, 0];
  const differ = (difference: ReplayDifference): void => {
    unequal += 1;
    if (differences.length < MOST_DIFFERENCES) differences.push(difference);
  };
  const compare = async ([live, replayed]: Pair): Promise<void> => {
    const then = live === undefined || live._position <= position ? live : await stoodThen(live);
    if (then === null) {
      changedSince += 1;
      return;
    }
    if (live !== undefined && live._position > position) changedSince += 1;
    const text = replayed === undefined ? undefined : canonicalJson(replayed);
    // Members in the same order, which documents of the same folds have, make it unnecessary to order them again.
    const isSame = then !== undefined && replayed !== undefined && JSON.stringify(then) === JSON.stringify(replayed);
    const liveText = then === undefined || isSame ? text : canonicalJson(then);
    if (replayed !== undefined) {
      documents += 1;
      digest.update(`${text}\n`);
    }
    if (then !== undefined) {
      liveDocuments += 1;
      liveDigest.update(`${liveText}\n`);
    }
    if (then === undefined && replayed !== undefined) {
      differ({ documentId: replayed._id, kind: 'missing', paths: [] });
    } else if (then !== undefined && replayed === undefined) {
      differ({ documentId: then._id, kind: 'extra', paths: [] });
    } else if (then !== undefined && liveText !== text) {
      const paths = differencesBetween(then, replayed).map(({ path }) => path);
      differ({ documentId: then._id, kind: 'different', paths: paths.slice(0, MOST_PATHS) });
    }
  };
  for await (const part of parts(sideBySide(options.live, options.replayed, filter))) {
    await pace(async () => {
      for (const pair of part) await compare(pair);
    });
  }
  return {
    name,
    documents,
    liveDocuments,
    digest: digest.digest('hex'),
    liveDigest: liveDigest.digest('hex'),
    changedSince,
    equal: unequal === 0,
    differences,
  };
}

async function* parts(pairs: AsyncIterable<Pair>): AsyncIterable<Pair[]> {
  let part: Pair[] = [];
  for await (const pair of pairs) {
    part.push(pair);
    if (part.length < PART) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

async function* sideBySide(one: Comparable, other: Comparable, filter: Filter): AsyncIterable<Pair> {
  const [left, right] = [one, other].map((side) => side.iterate({ filter, sort: [] })[Symbol.asyncIterator]());
  if (left === undefined || right === undefined) return;
  try {
    let [a, b] = await Promise.all([left.next(), right.next()]);
    while (!a.done || !b.done) {
      // By code point, as stores order ids.
      const order = a.done ? 1 : b.done ? -1 : Buffer.compare(Buffer.from(a.value._id), Buffer.from(b.value._id));
      yield [order <= 0 ? (a.value as Document) : undefined, order >= 0 ? (b.value as Document) : undefined];
      if (order <= 0) a = await left.next();
      if (order >= 0) b = await right.next();
    }
  } finally {
    await Promise.all([left.return?.(), right.return?.()]);
  }
}
