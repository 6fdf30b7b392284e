import { WHOLE_LIFE_MS } from '../deciders/session.ts';
import { type SessionDocument, sessions } from '../projections/sessions.ts';
import { type UserDocument, users } from '../projections/users.ts';
import type { Filter, Sort } from '../readstore/read-store.ts';
import type { Page, Reader } from './reader.ts';

export type SessionEnd = {
  readonly at: string;
  readonly reason: 'logout' | 'token-reused' | 'expired' | 'password-replaced' | 'user-disabled';
  /** Who did it; null where nobody did. */
  readonly by: string | null;
};
export type ShownSession = { readonly session: SessionDocument; readonly ended: SessionEnd | null };

export type SessionQuestion = {
  /** Null: of every user of the tenant. */
  readonly userId: string | null;
  /** Those that are over as well. */
  readonly withEnded: boolean;
  readonly nowMs: number;
};

const NEWEST_FIRST: Sort = [{ field: 'beganAt', direction: 'desc' }];
/** Documents read at once, however few are asked for: some of them may be over. */
const LEAST_READ = 50;

/** When and why the session ended, by whatever ended it first; null while it is open. */
export function endOfSession(
  session: SessionDocument,
  user: Pick<UserDocument, 'sessionsEnded'> | undefined,
  nowMs: number,
): SessionEnd | null {
  const { endedAt, endedReason, endedBy, expiresAt, beganPosition } = session;
  const ends: SessionEnd[] = [];
  if (endedAt !== null && endedReason !== null) ends.push({ at: endedAt, reason: endedReason, by: endedBy });
  const all = user?.sessionsEnded;
  if (all && beganPosition <= all.position) ends.push({ at: all.at, reason: all.reason, by: all.by });
  if (Date.parse(expiresAt) <= nowMs) ends.push({ at: expiresAt, reason: 'expired', by: null });
  return ends.toSorted((one, other) => (one.at < other.at ? -1 : 1))[0] ?? null;
}

/**
 * Newest first. Those that are open began within the longest life of a session, so finding them costs what the tenant's
 * sign-ins of that time cost, however long the history is.
 */
export async function sessionPage(
  reader: Reader,
  question: SessionQuestion,
  { limit, after }: { limit: number; after?: readonly (string | number)[] },
): Promise<Page<ShownSession>> {
  const filter = filterOf(question);
  const found: ShownSession[] = [];
  let from = after;
  for (;;) {
    const part = { filter, sort: NEWEST_FIRST, limit: Math.max(limit, LEAST_READ), ...(from && { after: from }) };
    const page = await reader.page(sessions, part);
    const shown = await withEnds(reader, page.items, question.nowMs);
    found.push(...shown.filter(({ ended }) => question.withEnded || ended === null));
    const last = found[limit - 1];
    if (found.length > limit && last !== undefined) {
      return { items: found.slice(0, limit), after: [last.session.beganAt, last.session._id] };
    }
    if (page.after === null) return { items: found, after: null };
    from = page.after;
  }
}

/** Exact up to `most`. */
export async function countSessions(reader: Reader, question: SessionQuestion, most: number): Promise<number> {
  if (question.withEnded) return reader.count(sessions, filterOf(question), most);
  return (await sessionPage(reader, question, { limit: most })).items.length;
}

function filterOf({ userId, withEnded, nowMs }: SessionQuestion): Filter {
  return [
    ...(userId === null ? [] : [{ field: 'userId', op: 'eq', value: userId } as const]),
    ...(withEnded
      ? []
      : ([
          { field: 'beganAt', op: 'gt', value: new Date(nowMs - WHOLE_LIFE_MS).toISOString() },
          { field: 'endedAt', op: 'eq', value: null },
          { field: 'expiresAt', op: 'gt', value: new Date(nowMs).toISOString() },
        ] as const)),
  ];
}

async function withEnds(reader: Reader, some: readonly SessionDocument[], nowMs: number): Promise<ShownSession[]> {
  const people = await reader.many(users, [...new Set(some.map(({ userId }) => userId))]);
  const byId = new Map(people.map((user) => [user.id, user]));
  return some.map((session) => ({ session, ended: endOfSession(session, byId.get(session.userId), nowMs) }));
}
