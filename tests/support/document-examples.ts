import { readFileSync, writeFileSync } from 'node:fs';
import type { Operation } from '../../src/http/core/operation.ts';

const FILE = new URL('../../src/http/reference/examples.json', import.meta.url);
const ITEMS_SHOWN = 2;
const LINES_SHOWN = 4;
/** In characters. Longer ones are bodies that a bank answered with, and canonical forms. */
const LONGEST_TEXT = 300;

/** Values that differ from run to run, or that look like secrets, as the document shows them. */
const SHOWN: Readonly<Record<string, string>> = {
  accessToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTk4In0.c2lnbmF0dXJl',
  refreshToken: 'bcr_example',
  password: 'correct horse battery staple',
  currentPassword: 'correct horse battery staple',
  newPassword: 'a longer and better password',
  secret: 'bcs_example',
};

function shown(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    if (SHOWN[name] !== undefined) return SHOWN[name];
    if (value.length > LONGEST_TEXT) return value.slice(0, LONGEST_TEXT);
    return name === 'email' && /^[0-9a-f-]{36}@/.test(value) ? 'can.kaya@example.com' : value;
  }
  if (Array.isArray(value)) return value.slice(0, ITEMS_SHOWN).map((one) => shown(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner, key)]));
}

/** With PIN=examples: keeps an exchange as the example of its operation in the document. */
export function keepExample(
  { id }: Pick<Operation, 'id'>,
  { request, status, response }: { request: unknown; status: number; response: unknown },
): void {
  if (process.env.PIN !== 'examples') return;
  const all: Record<string, unknown> = JSON.parse(readFileSync(FILE, 'utf8'));
  all[id] = {
    ...(request === undefined ? {} : { request: shown(request) }),
    status,
    response:
      typeof response === 'string' ? `${response.split('\n').slice(0, LINES_SHOWN).join('\n')}\n` : shown(response),
  };
  const sorted = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 1)}\n`);
}
