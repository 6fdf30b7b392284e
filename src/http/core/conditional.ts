import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';
import type { Operation } from './operation.ts';
import { z } from './zod.ts';

const ETAG_CHARACTERS = 22;
const MOST_TAGS = 50;
const TAG = /(?:W\/)?"([^"]*)"/g;

/** Whether the operation answers with one resource, which then has an `etag`. */
export function isSingle({ method, media, alsoMedia, access, result }: Operation): boolean {
  if (method !== 'get' || media !== null || alsoMedia !== null || access === 'anyone') return false;
  return result instanceof z.ZodObject && !Object.hasOwn(result.shape, 'items');
}

/**
 * The answer with an `etag`, or 304 without a body when the client has the same one. The tag is of the content, so it
 * changes with whatever the resource shows, leases and healths included. It is weak, since the bytes depend on the
 * coding. The answer was made before: who may not see the resource has been refused.
 */
export function conditional(answer: Answer, ifNoneMatch: string | null): Answer {
  if (typeof answer.body !== 'string') return answer;
  const tag = createHash('sha256').update(answer.body).digest('base64url').slice(0, ETAG_CHARACTERS);
  const headers: Record<string, string> = { ...answer.headers, etag: `W/"${tag}"` };
  if (ifNoneMatch === null || !names(ifNoneMatch, tag)) return { ...answer, headers };
  const { 'content-type': _, ...others } = headers;
  return { status: 304, headers: others, body: null };
}

function names(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  let looked = 0;
  for (const [, given] of ifNoneMatch.matchAll(TAG)) {
    if (given === tag) return true;
    looked += 1;
    if (looked === MOST_TAGS) return false;
  }
  return false;
}
