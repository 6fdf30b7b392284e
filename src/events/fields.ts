import { z } from 'zod';

/**
 * The building blocks that event schemas share. Strings are bounded generously: an event must hold what a bank sends.
 */
export const id = z.string().min(1).max(128);
export const instant = z.iso.datetime({ offset: false, precision: 3 });
export const day = z.iso.date();
export const decimalText = z.string().regex(/^-?\d{1,18}(\.\d{1,5})?$/);
export const text = z.string().max(16_384);
export const count = z.int().min(0);
export const hash = z.string().regex(/^[0-9a-f]{64}$/);

export const reference = z.strictObject({
  source: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
  entityType: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
  externalId: z.string().min(1).max(256),
  label: z.string().max(200).nullable(),
});

export type Reference = z.infer<typeof reference>;

/** Why a request to a bank failed: the provider's stable code and a sentence without secrets. */
export const failure = {
  code: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  message: z.string().max(2000),
};
