import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { broken, collected, done, type FakeAnswer, fakeService } from './fake-service.ts';

const change = (id: string) => ({ type: 'rule', id, kind: 'created', position: id, at: '', resource: { id } });

/** The changes a, b and c in pages of two; after the cursor 3 there is nothing. */
const feed: FakeAnswer = (sent) => {
  const after = Number(new URL(sent.url).searchParams.get('after') ?? 0);
  const items = ['a', 'b', 'c'].slice(after, after + 2).map(change);
  return done({ items, nextCursor: String(after + items.length), more: after + items.length < 3 })(sent);
};

beforeEach(() => void vi.useFakeTimers().setTimerTickMode('nextTimerAsync'));
afterEach(() => vi.useRealTimers());

describe('changes', () => {
  it('are all there are now, page by page, if they are not followed', async () => {
    const { client, sent } = fakeService([feed]);
    const pages = await collected(client.changes({ types: ['rule', 'run'], follow: false }));
    expect(pages.map(({ items }) => items.map(({ id }) => id))).toEqual([['a', 'b'], ['c']]);
    expect(sent.map(({ url }) => url.split('?')[1])).toEqual([
      'types=rule&types=run&wait=0',
      'types=rule&types=run&after=2&wait=0',
    ]);
  });

  it('go on after the cursor that the caller kept', async () => {
    const { client } = fakeService([feed]);
    for await (const { nextCursor } of client.changes()) {
      expect(nextCursor).toBe('2');
      break;
    }
    const rest = await collected(client.changes({ after: '2', follow: false }));
    expect(rest.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(['c']);
    expect(await collected(client.changes({ after: '3', follow: false }))).toEqual([]);
  });

  it('are waited for, through any number of failures, from the same cursor', async () => {
    const failures = Array.from({ length: 10 }, broken);
    const { client, sent } = fakeService([feed, feed, feed, ...failures, done(page('d', '4'))]);
    const seen: string[] = [];
    for await (const { items } of client.changes()) {
      seen.push(...items.map(({ id }) => id));
      if (seen.at(-1) === 'd') break;
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
    expect(sent).toHaveLength(14);
    expect(new Set(sent.slice(2).map(({ url }) => url.split('?')[1]))).toEqual(new Set(['after=3&wait=25']));
  });

  it('end with the signal of the caller', async () => {
    const stop = new AbortController();
    const { client } = fakeService([feed, broken()]);
    const walk = collected(client.changes({}, { signal: stop.signal }));
    setTimeout(() => stop.abort(new Error('enough')), 60_000);
    await expect(walk).rejects.toThrow('enough');
  });
});

function page(id: string, nextCursor: string) {
  return { items: [change(id)], nextCursor, more: false };
}
