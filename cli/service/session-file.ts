import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** What `bank login` keeps: one session, with the one service that it is good for. */
export type StoredSession = {
  readonly url: string;
  readonly email: string;
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Can be used once. */
  readonly refreshToken: string;
};

/** The file cannot be used; the message names it and what to do. */
export class SessionFileError extends Error {
  override readonly name = 'SessionFileError';
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const OF_OTHERS = 0o077;

/** Below `XDG_CONFIG_HOME`, which counts only if it is absolute, or else `~/.config`. */
export function sessionFile(): string {
  const { XDG_CONFIG_HOME: given = '', HOME: home = homedir() } = process.env;
  return join(isAbsolute(given) ? given : join(home, '.config'), 'bank', 'session.json');
}

/**
 * Null where nobody has signed in.
 * @throws SessionFileError for a file that others may read or write, or that holds no session
 */
export function readSession(): StoredSession | null {
  const file = sessionFile();
  const text = privateText(file);
  if (text === null) return null;
  try {
    const session = JSON.parse(text) as StoredSession;
    if (isSession(session)) return session;
  } catch {
    // Said below.
  }
  throw new SessionFileError(`${file} holds no session: bank login makes a new one`);
}

function privateText(file: string): string | null {
  let opened: number;
  try {
    // A link could lead to a file that others control.
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new SessionFileError(`${file} cannot be read (${code})`);
  }
  try {
    const { mode, uid } = fstatSync(opened);
    if ((mode & OF_OTHERS) !== 0) {
      throw new SessionFileError(
        `${file} can be read by others (its mode has to be 600): sign in again with bank login`,
      );
    }
    if (process.getuid !== undefined && uid !== process.getuid()) {
      throw new SessionFileError(`${file} belongs to another user`);
    }
    return readFileSync(opened, 'utf8');
  } finally {
    closeSync(opened);
  }
}

function isSession(value: StoredSession): boolean {
  const { url, email, accessToken, expiresAt, refreshToken } = value;
  const texts = [url, email, accessToken, refreshToken];
  return texts.every((text) => typeof text === 'string' && text !== '') && Number.isFinite(expiresAt);
}

/** In one step: whoever reads meanwhile finds the session before or this one. @throws SessionFileError */
export function writeSession(session: StoredSession): void {
  const file = sessionFile();
  const next = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
    rmSync(next, { force: true });
    writeFileSync(next, `${JSON.stringify(session)}\n`, { mode: PRIVATE_FILE, flag: 'wx' });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw new SessionFileError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

export function removeSession(): void {
  rmSync(sessionFile(), { force: true });
}
