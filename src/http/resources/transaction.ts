import type { TransactionDocument } from '../../projections/transactions.ts';
import type { Lease } from '../../readstore/read-store.ts';
import { jsonNumber } from '../core/json-number.ts';
import { z } from '../core/zod.ts';
import { assignmentResource, assignmentSchema } from './assignment.ts';
import { describedWith } from './described-with.ts';
import { instant } from './instants.ts';

export const AUTOMATION_STATUSES = ['legacy', 'pending', 'processing', 'retry', 'completed', 'dead'] as const;

const summarySchema = z
  .strictObject({
    referenceKeys: z.array(z.string()),
    tags: z.array(z.string()),
    count: z.int().min(0),
    updatedAt: instant.nullable(),
  })
  .openapi('TransactionAssignmentSummary');

const automationSchema = z
  .strictObject({
    status: z.enum(AUTOMATION_STATUSES),
    attempts: z.int().min(0),
    nextAttemptAt: instant.nullable(),
    lastAttemptAt: instant.nullable(),
    lastEvaluatedAt: instant.nullable(),
    lastError: z.string().nullable(),
    lockOwner: z.string().nullable(),
    lockUntil: instant.nullable(),
  })
  .openapi('TransactionAutomation');

export const transactionSchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    accountId: z.string().nullable(),
    subAccountKey: z.string().nullable(),
    status: z.boolean(),
    version: z.string(),
    providerStamp: z.string(),
    stamp: instant.nullable().optional().openapi({ deprecated: true }),
    transactionDate: instant.nullable(),
    fetchedAt: instant.nullable(),
    code: z.string().nullable(),
    idNo: z.string(),
    findAI: z.boolean(),
    nameSurname: z.string().nullable(),
    iban: z.string().nullable(),
    incoming: z.boolean(),
    amount: z.number(),
    balance: z.number(),
    description: z.string().nullable(),
    currency: z.string().nullable(),
    bankCode: z.string(),
    assignmentSummary: summarySchema,
    automation: automationSchema,
    assignments: z.array(assignmentSchema).optional(),
    createdAt: instant.nullable(),
    updatedAt: instant.nullable(),
  })
  .openapi('BankTransaction');

/** While a lease is held, waiting automation shows as `processing`; once it has expired it no longer does. */
function automationOf(document: TransactionDocument, lease: Lease | undefined, now: string) {
  const { automation } = document;
  const waiting = automation.status === 'pending' || automation.status === 'retry';
  const held = waiting && lease !== undefined && lease.until > now ? lease : undefined;
  return {
    ...automation,
    status: held === undefined ? automation.status : ('processing' as const),
    lockOwner: held?.owner ?? null,
    lockUntil: held?.until ?? null,
  };
}

/** Without its assignments, as lists show it. */
export function transactionResource(
  document: TransactionDocument,
  lease: Lease | undefined,
  now: string,
): z.input<typeof transactionSchema> {
  const { id, companyId, accountId, subAccountKey, status, revision, providerStamp, transactionDate } = document;
  const { fetchedAt, code, idNo, findAI, nameSurname, iban, incoming, amount, balance } = document;
  const { description, currency, bankCode, createdAt, updatedAt } = document;
  return {
    id,
    companies: companyId,
    accountId,
    subAccountKey,
    status,
    version: String(revision),
    providerStamp,
    transactionDate,
    fetchedAt,
    code,
    idNo,
    findAI,
    nameSurname,
    iban,
    incoming,
    amount: jsonNumber(amount),
    // The interface requires a number, even where the bank stated none.
    balance: jsonNumber(balance ?? '0'),
    description: describedWith(description, document.references),
    currency,
    bankCode,
    assignmentSummary: {
      referenceKeys: [...document.referenceKeys],
      tags: [...document.tags],
      count: document.assignments.filter((assignment) => assignment.status === 'active').length,
      updatedAt: document.assignmentsUpdatedAt,
    },
    automation: automationOf(document, lease, now),
    createdAt,
    updatedAt,
  };
}

export function transactionWithAssignments(
  document: TransactionDocument,
  lease: Lease | undefined,
  now: string,
): z.input<typeof transactionSchema> {
  return { ...transactionResource(document, lease, now), assignments: document.assignments.map(assignmentResource) };
}
