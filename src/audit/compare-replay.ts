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

type Comparable = Pick<Collection, 'iterate'>;

/**
 * Compares a live read model with its replay in the order of ids, in constant memory.
 * @param stoodThen returns a live document as it stood at the position, undefined where it did not exist, null where
 * that is unknown
 */
export async function compareReplay(options: {
  readonly name: string;
  readonly live: Comparable;
  readonly replayed: Comparable;
  readonly filter: Filter;
  readonly position: string;
  readonly stoodThen: (document: Document) => Promise<Document | undefined | null>;
}): Promise<ReadModelComparison> {
  const { name, filter, position, stoodThen } = options;
  const [digest, liveDigest] = [createHash('sha256'), createHash('sha256')];
  const differences: ReplayDifference[] = [];
  let [documents, liveDocuments, changedSince, unequal] = [0, 0, 0, 0];
  const differ = (difference: ReplayDifference): void => {
    unequal += 1;
    if (differences.length < MOST_DIFFERENCES) differences.push(difference);
  };
  for await (const [live, replayed] of sideBySide(options.live, options.replayed, filter)) {
    const then = live === undefined || live._position <= position ? live : await stoodThen(live);
    if (then === null) {
      changedSince += 1;
      continue;
    }
    if (live !== undefined && live._position > position) changedSince += 1;
    if (replayed !== undefined) {
      documents += 1;
      digest.update(canonicalJson(replayed)).update('\n');
    }
    if (then !== undefined) {
      liveDocuments += 1;
      liveDigest.update(canonicalJson(then)).update('\n');
    }
    if (then === undefined && replayed !== undefined) {
      differ({ documentId: replayed._id, kind: 'missing', paths: [] });
    } else if (then !== undefined && replayed === undefined) {
      differ({ documentId: then._id, kind: 'extra', paths: [] });
    } else if (then !== undefined && canonicalJson(then) !== canonicalJson(replayed)) {
      const paths = differencesBetween(then, replayed).map(({ path }) => path);
      differ({ documentId: then._id, kind: 'different', paths: paths.slice(0, MOST_PATHS) });
    }
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

async function* sideBySide(
  one: Comparable,
  other: Comparable,
  filter: Filter,
): AsyncIterable<[Document | undefined, Document | undefined]> {
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
