import type { ConnectionDocument, SubAccountRecord } from '../../projections/connections.ts';
import { SYNC_HEALTH, syncHealthStatus } from '../../queries/sync-health.ts';
import { jsonNumber } from '../core/json-number.ts';
import { z } from '../core/zod.ts';
import { instant, withoutNulls } from './instants.ts';

const subAccountSchema = z
  .strictObject({
    subAccountKey: z.string(),
    bankCode: z.string(),
    currency: z.string(),
    balance: z.number(),
    id: z.string(),
    providerAccountId: z.string(),
    customerNo: z.string().optional(),
    accountNo: z.string().optional(),
    iban: z.string().optional(),
    accountType: z.string().optional(),
    accountName: z.string().optional(),
    branchId: z.string().optional(),
    branchName: z.string().optional(),
    blockedBalance: z.number().optional(),
    availableBalance: z.number().optional(),
    openingDate: instant.optional(),
    lastTransactionDate: instant.optional(),
    ownedElsewhere: z
      .literal(true)
      .optional()
      .openapi({ description: 'Another company of the tenant owns this account; nothing of it is synced here.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('SubAccount');

export const syncHealthSchema = z
  .strictObject({
    status: z.enum(SYNC_HEALTH),
    lastAttemptAt: instant.optional(),
    lastSuccessAt: instant.optional(),
    lastErrorAt: instant.optional(),
    lastErrorCode: z.string().optional(),
    lastErrorMessage: z.string().optional(),
    lastDurationMs: z.int().optional(),
    lastTriggerType: z.enum(['manual', 'schedule', 'setup']).optional(),
    lastResult: z.strictObject({ fetched: z.int(), inserted: z.int(), duplicates: z.int() }).optional(),
  })
  .openapi('SyncHealth');

export const credentialsReceiptSchema = z
  .strictObject({ environment: z.enum(['demo', 'production']), fingerprint: z.string(), updatedAt: instant })
  .openapi('CredentialsReceipt');

export const connectionSchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    status: z.boolean(),
    bankCode: z.string(),
    environment: z.enum(['demo', 'production']),
    subAccounts: z.array(subAccountSchema),
    title: z.string(),
    lastProviderSetupAt: instant.optional(),
    lastProviderSyncAt: instant.optional(),
    syncHealth: syncHealthSchema,
    credentials: credentialsReceiptSchema.optional(),
    archivedAt: instant.optional(),
    createdAt: instant,
    updatedAt: instant,
  })
  .openapi('BankConnection');

function midnight(day: string | null): string | null {
  return day === null ? null : new Date(Date.parse(day)).toISOString();
}

function amountOf(decimal: string | null): number | null {
  return decimal === null ? null : jsonNumber(decimal);
}

function subAccountResource(account: SubAccountRecord, bankCode: string): z.input<typeof subAccountSchema> {
  const { subAccountKey, providerAccountId, currency, balance, createdAt, updatedAt } = account;
  const { customerNo, accountNo, iban, accountType, accountName, branchId, branchName } = account;
  return {
    subAccountKey,
    bankCode,
    currency,
    balance: jsonNumber(balance),
    id: subAccountKey,
    providerAccountId,
    ...withoutNulls({ customerNo, accountNo, iban, accountType, accountName, branchId, branchName }),
    ...withoutNulls({
      blockedBalance: amountOf(account.blockedBalance),
      availableBalance: amountOf(account.availableBalance),
      openingDate: midnight(account.openingDate),
      lastTransactionDate: midnight(account.lastTransactionDate),
    }),
    ...(account.ownedElsewhere ? { ownedElsewhere: true as const } : {}),
    createdAt,
    updatedAt,
  };
}

export function syncHealthResource(connection: ConnectionDocument, nowMs: number): z.input<typeof syncHealthSchema> {
  const { lastAttemptAt, lastSuccessAt, lastErrorAt, lastErrorCode, lastErrorMessage } = connection;
  const { lastDurationMs, lastTriggerType, lastResult } = connection;
  return {
    status: syncHealthStatus(connection, nowMs),
    ...withoutNulls({
      lastAttemptAt,
      lastSuccessAt,
      lastErrorAt,
      lastErrorCode,
      lastErrorMessage,
      lastDurationMs,
      lastTriggerType,
      lastResult,
    }),
  };
}

export function connectionResource(connection: ConnectionDocument, nowMs: number): z.input<typeof connectionSchema> {
  const { id, companyId, enabled, bankCode, environment, subAccounts, title } = connection;
  const { lastSetupAt, lastSyncAt, credentials, archivedAt, createdAt, updatedAt } = connection;
  return {
    id,
    companies: companyId,
    status: enabled,
    bankCode,
    environment,
    subAccounts: subAccounts.map((account) => subAccountResource(account, bankCode)),
    title,
    ...withoutNulls({ lastProviderSetupAt: lastSetupAt, lastProviderSyncAt: lastSyncAt, credentials, archivedAt }),
    syncHealth: syncHealthResource(connection, nowMs),
    createdAt,
    updatedAt,
  };
}
