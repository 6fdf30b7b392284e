import { z } from 'zod';
import { id, instant } from './fields.ts';

/** Characters of a client's own name that are kept. */
export const MOST_USER_AGENT = 200;

/**
 * Streams `session-`: one family of refresh tokens, from a login to its end. A refresh token names its session and
 * generation and is sealed with a key, so the stream needs neither token nor hash.
 */
export const sessionEvents = {
  SessionBegan: {
    version: 1,
    schema: z.strictObject({
      sessionId: id,
      userId: id,
      beganAt: instant,
      expiresAt: instant,
      /** What the client called itself, without control characters, so that the person recognises the session. */
      userAgent: z.string().min(1).max(MOST_USER_AGENT).exactOptional(),
    }),
  },
  /** The previous generation's token is used up: if it is presented again, one of the two holders has stolen it. */
  SessionRefreshed: {
    version: 1,
    schema: z.strictObject({ generation: z.int().min(2), refreshedAt: instant, expiresAt: instant }),
  },
  SessionEnded: {
    version: 1,
    schema: z.strictObject({ reason: z.enum(['logout', 'token-reused']), endedAt: instant }),
  },
} as const;
