import { describe, expect, it } from 'vitest';
import { type SessionDocument, sessions } from '../../src/projections/sessions.ts';
import { users } from '../../src/projections/users.ts';
import type { Reader } from '../../src/queries/reader.ts';
import { countSessions, sessionPage } from '../../src/queries/sessions.ts';

const NOW = Date.parse('2026-03-01T08:00:00.000Z');
const at = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
const position = (nth: number): string => String(nth).padStart(16, '0');

/** Newest first; of the user `gone` each began before what ended all of theirs. */
const stored = Array.from({ length: 300 }, (_, nth) => {
  const userId = nth % 100 === 99 ? 'here' : 'gone';
  const began = { beganAt: at(-nth), beganPosition: position(1_000 - nth) };
  return { _id: `t/s-${nth}`, id: `s-${nth}`, userId, ...began, expiresAt: at(60), endedAt: null, endedReason: null };
}) as unknown as SessionDocument[];

const sessionsEnded = { position: position(2_000), at: at(-1), reason: 'user-disabled', by: 'admin' };
const people = [
  { id: 'gone', sessionsEnded },
  { id: 'here', sessionsEnded: null },
];

function readerOf(most: number[]): Reader {
  return {
    many: async (projection: unknown, ids: readonly string[]) => {
      expect(projection).toBe(users);
      return people.filter(({ id }) => ids.includes(id));
    },
    page: async (projection: unknown, { limit, after }: { limit: number; after?: readonly string[] }) => {
      expect(projection).toBe(sessions);
      most.push(limit);
      const start = after === undefined ? 0 : stored.findIndex(({ _id }) => _id === after[1]) + 1;
      const items = stored.slice(start, start + limit);
      const last = items.at(-1);
      return { items, after: start + limit < stored.length && last ? [last.beganAt, last._id] : null };
    },
  } as unknown as Reader;
}

const question = { userId: null, withEnded: false, nowMs: NOW };

describe('the open sessions of everybody', () => {
  it('are found past any number that ended with their user, and read in pages of at least 50', async () => {
    const asked: number[] = [];
    const first = await sessionPage(readerOf(asked), question, { limit: 2 });
    expect(first.items.map(({ session }) => session.id)).toEqual(['s-99', 's-199']);
    const { after } = first;
    const rest = await sessionPage(readerOf(asked), question, { limit: 2, after: after ?? [] });
    expect(rest.items.map(({ session }) => session.id)).toEqual(['s-299']);
    expect(rest.after).toBeNull();
    expect(Math.min(...asked)).toBe(50);
  });

  it('are counted as they are listed', async () => {
    expect(await countSessions(readerOf([]), question, 10_001)).toBe(3);
    expect(await countSessions(readerOf([]), question, 2)).toBe(2);
  });
});
