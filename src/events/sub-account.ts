import { z } from 'zod';
import { id, instant } from './fields.ts';

/**
 * Stream `subAccount-{tenant}_{subAccountKey}`: which company of the tenant a physical account belongs to. Its one
 * event is of the first company whose connection found the account, and names that company in its metadata.
 */
export const subAccountEvents = {
  SubAccountClaimed: {
    version: 1,
    schema: z.strictObject({
      subAccountKey: id,
      /** The connection that found it. */
      accountId: id,
      bankCode: z.string().min(1).max(64),
      claimedAt: instant,
    }),
  },
} as const;
