import { describe, expect, it } from 'vitest';
import type { Verified } from '../../src/identity/known-callers.ts';
import { readsWithoutLog } from '../../src/identity/reads-without-log.ts';
import { LogUnavailable } from '../../src/log/log.ts';
import { type UserDocument, users } from '../../src/projections/users.ts';
import type { ReadModels } from '../../src/queries/read-models.ts';

const UNAVAILABLE = new LogUnavailable('away');
const KNOWN: Verified = {
  caller: {
    tenantId: 't',
    actor: { type: 'user', id: 'u' },
    scopes: [],
    companies: null,
    role: 'analyst',
    sessionId: 's',
  },
  endsAtMs: null,
  streams: ['user-t_u', 'session-t_s'],
  position: '5',
};

function reads(options: { error?: unknown; known?: Verified | null; storedAt?: string }) {
  const { error = UNAVAILABLE, known = KNOWN, storedAt } = options;
  const document = storedAt === undefined ? undefined : ({ _position: storedAt } as UserDocument);
  const readModels = { of: () => ({ get: async () => document }) } as unknown as ReadModels;
  return readsWithoutLog({ error, known, readModels, subjects: users });
}

describe('a caller known before the log went away', () => {
  it.each(['5', '4'])('reads where the read model stands at %s and the caller at 5', async (storedAt) => {
    expect(await reads({ storedAt })).toBe(KNOWN.caller);
  });

  it('does not read after another instance has changed the user, or where the read model has no such user', async () => {
    await expect(reads({ storedAt: '6' })).rejects.toBe(UNAVAILABLE);
    await expect(reads({})).rejects.toBe(UNAVAILABLE);
  });

  it('does not read after any failure but that of the log, nor unless it is known', async () => {
    const other = new Error('other');
    await expect(reads({ storedAt: '5', error: other })).rejects.toBe(other);
    await expect(reads({ storedAt: '5', known: null })).rejects.toBe(UNAVAILABLE);
  });
});
