import { z } from 'zod';
import { count, hash, instant } from './fields.ts';

/**
 * Base64 of the first 4 bytes of each leaf: enough to say which event is not the one that was sealed, while the root
 * proves that none is.
 */
const fingerprints = z
  .string()
  .max(100_000)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/);

/**
 * Stream `seal-{tenant}_chain`: signed statements of what the tenant's events were, in log order. A seal covers the
 * `eventCount` events that follow those of the seal before, and so on back to the first event; earlier seals are among
 * them.
 */
export const sealEvents = {
  TenantSealed: {
    version: 1,
    schema: z.strictObject({
      ordinal: z.int().min(1),
      eventCount: z.int().min(1),
      /** Of all events up to and with this seal's last one. */
      totalCount: count,
      toPosition: z.string().min(1).max(64),
      /** Merkle root (RFC 6962) over the events' leaves. */
      root: hash,
      fingerprints,
      /** SHA-256 of the canonical JSON of the seal before, signature and all; null for the first. */
      previousHash: hash.nullable(),
      sealedAt: instant,
      /** Ed25519, raw, base64. */
      publicKey: z.string().length(44),
      /** Over the canonical JSON of everything else. */
      signature: z.string().length(88),
    }),
  },
} as const;
