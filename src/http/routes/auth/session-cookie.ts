import { UNUSED_FOR_MS } from '../../../deciders/session.ts';

/** Its path keeps it out of every request but those for the session. */
const PATH = '/auth/session';
const NAME = 'bank_session';
const SECONDS = UNUSED_FOR_MS / 1_000;

type Header = (name: string) => string | null;

/** The refresh token of a browser's session; null without one. */
export function sessionCookie(header: Header): string | null {
  for (const pair of (header('cookie') ?? '').split(';')) {
    const [name = '', ...value] = pair.trim().split('=');
    if (name === NAME) return value.join('=') || null;
  }
  return null;
}

/** The value of set-cookie that keeps the refresh token where no script can read it. */
export function keptCookie(refreshToken: string, header: Header): string {
  return `${NAME}=${refreshToken}; Max-Age=${SECONDS}; ${attributes(header)}`;
}

/** The value of set-cookie that removes it. */
export function clearedCookie(header: Header): string {
  return `${NAME}=; Max-Age=0; ${attributes(header)}`;
}

/** On this machine browsers may come without TLS, and not all of them send a secure cookie then. */
function attributes(header: Header): string {
  const secure = isThisMachine(header('host')) ? '' : 'Secure; ';
  return `Path=${PATH}; ${secure}HttpOnly; SameSite=Strict`;
}

function isThisMachine(host: string | null): boolean {
  return /^(localhost|([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '');
}
