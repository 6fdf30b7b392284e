import { z } from 'zod';
import { count, decimalText, failure, hash, id, instant, reference, text } from './fields.ts';

const rowTexts = z.strictObject({
  nameSurname: text.nullable(),
  iban: text.nullable(),
  idNo: text,
  description: text.nullable(),
});

export type RowTexts = z.infer<typeof rowTexts>;

/**
 * The figures of a row that per-day read models need when something happens to it later. The later events repeat them,
 * so that each read model folds single events and reads nothing else.
 */
export const rowFigures = z.strictObject({
  accountId: id,
  subAccountKey: id,
  bankCode: id,
  transactionDate: instant,
  currency: id,
  incoming: z.boolean(),
  amount: decimalText,
  balance: decimalText,
  balanceStated: z.boolean(),
  /** Whom the row names and what it says, as it was recorded; absent in events of releases before these were kept. */
  texts: rowTexts.exactOptional(),
});

const rowReferences = z.strictObject({
  endToEndId: text.exactOptional(),
  mandateId: text.exactOptional(),
  creditorId: text.exactOptional(),
  customerReference: text.exactOptional(),
  bankReference: text.exactOptional(),
});

export type RowReferences = z.infer<typeof rowReferences>;

export type RowFigures = z.infer<typeof rowFigures>;

/** Stream `bankTransaction-{tenant}_{uuid}`: the whole life of one bank row. */
export const bankTransactionEvents = {
  TransactionRecorded: {
    version: 1,
    schema: z.strictObject({
      transactionId: id,
      accountId: id,
      subAccountKey: id,
      syncId: id,
      /** 1-based page of that sync; distinguishes a retried page from the same row on another page. */
      syncPage: z.int().min(1),
      bankCode: id,
      providerStamp: z.string().min(1).max(512),
      /** Whether the bank gave the stamp or it was computed from the content. */
      stampOrigin: z.enum(['provider', 'content']),
      contentHash: hash,
      transactionDate: instant,
      fetchedAt: instant,
      code: text.nullable(),
      idNo: text,
      findAI: z.boolean(),
      nameSurname: text.nullable(),
      iban: text.nullable(),
      incoming: z.boolean(),
      amount: decimalText,
      balance: decimalText,
      /** False when the bank stated no balance and `balance` is a stand-in of 0. */
      balanceStated: z.boolean(),
      description: text.nullable(),
      currency: id,
      automation: z.enum(['pending', 'legacy']),
      /**
       * The references that parties and banks give the payment; not part of the content, since banks change and drop
       * them.
       */
      references: rowReferences.exactOptional(),
    }),
  },
  TransactionWithdrawn: {
    version: 2,
    schema: z.strictObject({
      syncId: id,
      withdrawnAt: instant,
      row: rowFigures,
      /** Of the row as it was recorded; null, as the counterparty is, where that was not noted. */
      fetchedAt: instant.nullable(),
      counterparty: z.strictObject({ nameSurname: text.nullable(), iban: text.nullable(), idNo: text }).nullable(),
      /** What is attached at that moment, each once. */
      referenceKeys: z.array(z.string()),
    }),
  },
  /** The bank lists a withdrawn row again. */
  TransactionRelisted: {
    version: 1,
    schema: z.strictObject({
      syncId: id,
      relistedAt: instant,
      row: rowFigures,
      /**
       * As in the withdrawal: null where that did not record them, so that nothing is added that was not subtracted.
       */
      fetchedAt: instant.nullable(),
      counterparty: z.strictObject({ nameSurname: text.nullable(), iban: text.nullable(), idNo: text }).nullable(),
      /** What is attached at that moment, each once. */
      referenceKeys: z.array(z.string()),
    }),
  },
  TransactionContentConflictSeen: {
    version: 1,
    schema: z.strictObject({
      syncId: id,
      accountId: id,
      seenAt: instant,
      contentHash: hash,
      /** What the bank says now, field by field, where it differs from what was recorded. */
      differences: z.array(z.strictObject({ field: z.string(), recorded: z.json(), seen: z.json() })),
    }),
  },
  TransactionAutomationEvaluated: {
    version: 1,
    schema: z.strictObject({
      attempt: z.int().min(1),
      evaluatedAt: instant,
      /**
       * How many rules were in force when the transaction was recorded, and the SHA-256 over their ids, versions and
       * snapshot hashes.
       */
      rulesInForce: count,
      rulesDigest: hash,
      matches: z.array(
        z.strictObject({ ruleId: id, ruleVersion: z.int().min(1), ruleSnapshotHash: hash, suppressed: z.boolean() }),
      ),
    }),
  },
  TransactionAutomationFailed: {
    version: 1,
    schema: z.strictObject({ attempt: z.int().min(1), failedAt: instant, nextAttemptAt: instant, ...failure }),
  },
  TransactionAutomationDied: {
    version: 1,
    schema: z.strictObject({ attempt: z.int().min(1), failedAt: instant, ...failure }),
  },
  TransactionAutomationRetried: {
    version: 1,
    schema: z.strictObject({ retriedAt: instant, from: z.enum(['retry', 'dead']) }),
  },
  TransactionAssignmentAttached: {
    version: 3,
    schema: z.strictObject({
      assignmentId: id,
      origin: z.enum(['rule', 'manual']),
      originId: id,
      ruleId: id.nullable(),
      ruleVersion: z.int().min(1).nullable(),
      ruleSnapshotHash: hash.nullable(),
      reference,
      referenceKey: z.string(),
      tags: z.array(z.string().min(1).max(64)).max(20),
      matchedAt: instant,
      /** The backfill or revert that attached it; null for live automation and by hand. */
      runId: id.nullable(),
      /** How many assignments were active on the transaction before this one. */
      activeBefore: count,
      /** How many of those had the same reference. */
      sameReferenceBefore: count,
      /** Whether the bank had withdrawn the row: then it counts in no figure. */
      withdrawn: z.boolean(),
      row: rowFigures,
    }),
  },
  TransactionAssignmentRevoked: {
    version: 3,
    schema: z.strictObject({
      assignmentId: id,
      revokedAt: instant,
      reason: z.string().max(500).nullable(),
      /**
       * After a person's revocation that rule attaches nothing here until its snapshot hash changes; a run's has no
       * such effect.
       */
      by: z.enum(['person', 'backfill', 'revert']),
      runId: id.nullable(),
      ruleId: id.nullable(),
      ruleSnapshotHash: hash.nullable(),
      referenceKey: z.string(),
      /** How many assignments were active on the transaction before, this one among them. */
      activeBefore: count,
      /** How many of those had the same reference, this one among them. */
      sameReferenceBefore: count,
      withdrawn: z.boolean(),
      row: rowFigures,
    }),
  },
} as const;
