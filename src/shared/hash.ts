import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Lower-case hex. */
export function sha256(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex');
}

/** RFC 8785. @throws TypeError for a value JSON cannot hold */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}
