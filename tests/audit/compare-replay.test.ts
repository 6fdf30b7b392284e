import { describe, expect, it } from 'vitest';
import { compareReplay } from '../../src/audit/compare-replay.ts';
import type { Document } from '../../src/readstore/read-store.ts';
import { canonicalJson, sha256 } from '../../src/shared/hash.ts';

const position = (n: number): string => String(n).padStart(20, '0');
const document = (id: string, fields: object = {}, at = 1): Document => ({
  _id: id,
  _position: position(at),
  ...fields,
});
const holding = (documents: readonly Document[]) => ({
  async *iterate<D extends Document>(): AsyncIterable<D> {
    yield* documents as readonly D[];
  },
});
const digestOf = (documents: readonly Document[]): string =>
  sha256(documents.map((each) => `${canonicalJson(each)}\n`).join(''));

const compare = (live: readonly Document[], replayed: readonly Document[], further: object = {}) =>
  compareReplay({
    name: 'things',
    live: holding(live),
    replayed: holding(replayed),
    filter: [],
    position: position(5),
    stoodThen: async () => null,
    ...further,
  });

describe('the comparison of a replay', () => {
  it('does not depend on the order of members', async () => {
    const live = [document('a', { one: 1, two: { three: 3, four: 4 } }), document('b')];
    const replayed = [document('a', { two: { four: 4, three: 3 }, one: 1 }), document('b')];
    expect(await compare(live, replayed)).toEqual({
      name: 'things',
      documents: 2,
      liveDocuments: 2,
      digest: digestOf(replayed),
      liveDigest: digestOf(live),
      changedSince: 0,
      equal: true,
      differences: [],
    });
    expect(digestOf(replayed)).toBe(digestOf(live));
  });

  it('digests what each side holds and names every difference', async () => {
    const live = [document('a', { sum: 1 }), document('b'), document('d', {}, 9)];
    const replayed = [document('a', { sum: 2 }), document('c'), document('d')];
    expect(await compare(live, replayed)).toMatchObject({
      documents: 2,
      liveDocuments: 2,
      digest: digestOf(replayed.slice(0, 2)),
      liveDigest: digestOf(live.slice(0, 2)),
      changedSince: 1,
      equal: false,
      differences: [
        { documentId: 'a', kind: 'different', paths: ['sum'] },
        { documentId: 'b', kind: 'extra' },
        { documentId: 'c', kind: 'missing' },
      ],
    });
  });

  it('takes turns in short parts, in each of which no more than 100 pairs are compared', async () => {
    const live = Array.from({ length: 450 }, (_, n) => document(`d${String(n).padStart(4, '0')}`, {}, 9));
    const parts: number[] = [];
    let asked = 0;
    const { changedSince } = await compare(live, live, {
      stoodThen: async (one: Document) => {
        asked += 1;
        return one;
      },
      pace: async (part: () => Promise<void>) => {
        const before = asked;
        await part();
        parts.push(asked - before);
      },
    });
    expect([changedSince, parts]).toEqual([450, [100, 100, 100, 100, 50]]);
  });
});
