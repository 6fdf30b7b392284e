import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { AuthenticationError, BankClient } from '../../sdk/src/index.ts';
import { readSession, removeSession, type StoredSession, sessionFile, writeSession } from './session-file.ts';

/** A token is renewed this long before it expires, so that none expires on its way. */
const BEFORE_EXPIRY_MS = 30_000;
const LOOK_AGAIN_MS = 50;
/** Longer than a renewal takes: its process has ended without removing the lock. */
const LOCK_HELD_MS = 90_000;

/** The session is over; the message says what to do. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

/** The session with that service; null where there is none, or one with another. @throws SessionFileError */
export function sessionFor(url: string): StoredSession | null {
  const session = readSession();
  return session !== null && session.url === normalised(url) ? session : null;
}

/** A token goes to the service that issued it, and to no other. */
export function normalised(url: string): string {
  return new URL(url).href.replace(/\/+$/, '');
}

/** A token of the session that is still good. @throws SessionEnded, SessionFileError, BankError, NetworkError */
export async function tokenOf(url: string): Promise<string> {
  const session = presentSession(url);
  return isGood(session) ? session.accessToken : await inTurn(() => renewed(url));
}

/** @throws SessionEnded */
function presentSession(url: string): StoredSession {
  const session = sessionFor(url);
  if (session === null) throw new SessionEnded('nobody is signed in any more: bank login');
  return session;
}

const isGood = ({ expiresAt }: StoredSession): boolean => Date.now() < expiresAt - BEFORE_EXPIRY_MS;

/** A refresh token can be used once: who had to wait finds the tokens that another process has got. */
async function renewed(url: string): Promise<string> {
  const session = presentSession(url);
  if (isGood(session)) return session.accessToken;
  try {
    // Once: a second use of the refresh token would end the session.
    const client = new BankClient({ baseUrl: session.url, maxAttempts: 1 });
    const { accessToken, refreshToken, expiresIn } = await client.refreshSession({
      refreshToken: session.refreshToken,
    });
    writeSession({ ...session, accessToken, refreshToken, expiresAt: Date.now() + expiresIn * 1_000 });
    return accessToken;
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    removeSession();
    throw new SessionEnded('the session has ended: bank login');
  }
}

/** One process at a time. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const lock = `${sessionFile()}.lock`;
  while (!taken(lock)) await pause(LOOK_AGAIN_MS);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held !== undefined && Date.now() - held.mtimeMs > LOCK_HELD_MS) rmSync(lock, { force: true });
    return false;
  }
}
