import { z } from 'zod';
import { count, hash, instant } from './fields.ts';

/**
 * Base64 of the first 4 bytes of each leaf: enough to find an event that differs from the sealed one, while the root
 * proves that none does.
 */
const fingerprints = z
  .string()
  .max(100_000)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/);

/**
 * Stream `seal-{tenant}_chain`: signed statements of what the tenant's events were, in log order. A seal covers the
 * `eventCount` events after those of the previous seal, earlier seals included; the first one starts at the first
 * event.
 */
export const sealEvents = {
  TenantSealed: {
    version: 1,
    schema: z.strictObject({
      ordinal: z.int().min(1),
      eventCount: z.int().min(1),
      /** Of all events up to and including this seal's last one. */
      totalCount: count,
      toPosition: z.string().min(1).max(64),
      /** Merkle root (RFC 6962) over the events' leaves. */
      root: hash,
      fingerprints,
      /** SHA-256 of the canonical JSON of the previous seal including its signature; null for the first. */
      previousHash: hash.nullable(),
      sealedAt: instant,
      /** Ed25519, raw, base64. */
      publicKey: z.string().length(44),
      /** Over the canonical JSON of everything else. */
      signature: z.string().length(88),
    }),
  },
} as const;
