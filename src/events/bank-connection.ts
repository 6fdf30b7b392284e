import { z } from 'zod';
import { count, day, decimalText, failure, id, instant, text } from './fields.ts';

/** A physical account of a connection. `subAccountKey` is ours and never changes for the same physical account. */
export const subAccount = z.strictObject({
  subAccountKey: id,
  providerAccountId: z.string().min(1).max(256),
  currency: id,
  balance: decimalText,
  /** Absent unless another company of the tenant owns the account: then nothing of it is synced here. */
  ownedElsewhere: z.literal(true).exactOptional(),
  /** False when the bank stated no balance and `balance` is a stand-in of 0; absent when it stated one. */
  balanceStated: z.literal(false).exactOptional(),
  availableBalance: decimalText.nullable(),
  blockedBalance: decimalText.nullable(),
  customerNo: text.nullable(),
  accountNo: text.nullable(),
  iban: text.nullable(),
  accountType: text.nullable(),
  accountName: text.nullable(),
  branchId: text.nullable(),
  branchName: text.nullable(),
  openingDate: day.nullable(),
  lastTransactionDate: text.nullable(),
});

export type SubAccount = z.infer<typeof subAccount>;

/** Stream `bankConnection-{tenant}_{id}`: kept short, since the frequent events of syncs have their own streams. */
export const bankConnectionEvents = {
  ConnectionOpened: {
    version: 1,
    schema: z.strictObject({
      accountId: id,
      bankCode: id,
      environment: z.enum(['demo', 'production']),
      title: z.string().min(1).max(120),
      openedAt: instant,
    }),
  },
  ConnectionRenamed: { version: 1, schema: z.strictObject({ title: z.string().min(1).max(120), changedAt: instant }) },
  ConnectionDisabled: { version: 1, schema: z.strictObject({ changedAt: instant }) },
  ConnectionEnabled: { version: 1, schema: z.strictObject({ changedAt: instant }) },
  ConnectionCredentialsReplaced: {
    version: 1,
    schema: z.strictObject({
      environment: z.enum(['demo', 'production']),
      fingerprint: z.string().min(1).max(128),
      replacedAt: instant,
    }),
  },
  ConnectionSetupRequested: { version: 1, schema: z.strictObject({ setupId: id, requestedAt: instant }) },
  ConnectionSetUp: {
    version: 1,
    schema: z.strictObject({
      setupId: id,
      completedAt: instant,
      durationMs: count,
      requests: count,
      subAccounts: z.array(subAccount),
    }),
  },
  ConnectionSetupFailed: {
    version: 1,
    schema: z.strictObject({
      setupId: id,
      failedAt: instant,
      durationMs: count,
      requests: count,
      kind: z.enum(['transient', 'rate-limited', 'credentials-rejected', 'permanent']),
      nextAllowedAt: instant.nullable(),
      ...failure,
    }),
  },
  /** A sync found other accounts than setup did; the whole list as it is now. */
  ConnectionAccountsChanged: {
    version: 1,
    schema: z.strictObject({ syncId: id, seenAt: instant, subAccounts: z.array(subAccount) }),
  },
  ConnectionArchived: { version: 1, schema: z.strictObject({ archivedAt: instant }) },
} as const;
