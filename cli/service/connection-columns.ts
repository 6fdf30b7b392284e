import type {
  Bank,
  BankConnection,
  Completeness,
  ConnectionUsage,
  ConnectorLog,
  Sync,
  SyncHealth,
} from '../../sdk/src/index.ts';
import type { Column, Tone } from './output.ts';

const HEALTH_TONES: Readonly<Record<SyncHealth['status'], Tone | null>> = {
  never: null,
  running: null,
  healthy: 'good',
  degraded: 'warn',
  rate_limited: 'warn',
  failing: 'bad',
  credentials_rejected: 'bad',
};

export const CONNECTION_COLUMNS: readonly Column<BankConnection>[] = [
  { title: 'TITLE', of: (one) => one.title },
  { title: 'BANK', of: (one) => one.bankCode },
  { title: 'HEALTH', of: (one) => one.syncHealth.status, tone: (one) => HEALTH_TONES[one.syncHealth.status] },
  { title: 'ACCOUNTS', of: (one) => one.subAccounts?.length, right: true },
  { title: 'LAST SYNC', of: (one) => one.lastProviderSyncAt },
  { title: 'ID', of: (one) => one.id },
];

export const BANK_COLUMNS: readonly Column<Bank>[] = [
  { title: 'CODE', of: (bank) => bank.bankCode },
  { title: 'NAME', of: (bank) => bank.name },
];

export const ACCOUNT_COLUMNS: readonly Column<BankConnection['subAccounts'][number]>[] = [
  { title: 'ACCOUNT', of: (one) => one.accountName ?? one.providerAccountId },
  { title: 'IBAN', of: (one) => one.iban },
  { title: 'BALANCE', of: (one) => one.balance, right: true },
  { title: 'CURRENCY', of: (one) => one.currency },
  { title: 'SUB-ACCOUNT KEY', of: (one) => one.subAccountKey },
];

const SYNC_TONES = { queued: null, running: null, completed: 'good', failed: 'bad', cancelled: 'warn' } as const;

export const SYNC_COLUMNS: readonly Column<Sync>[] = [
  { title: 'REQUESTED', of: (sync) => sync.requestedAt },
  { title: 'STATUS', of: (sync) => sync.status, tone: ({ status }) => SYNC_TONES[status] },
  { title: 'TRIGGER', of: (sync) => sync.trigger },
  { title: 'PAGES', of: (sync) => sync.pages, right: true },
  { title: 'NEW', of: (sync) => sync.counts.inserted, right: true },
  { title: 'KNOWN', of: (sync) => sync.counts.duplicates, right: true },
  { title: 'ERROR', of: (sync) => sync.error?.code },
  { title: 'ID', of: (sync) => sync.id },
];

export const DAY_COLUMNS: readonly Column<ConnectionUsage>[] = [
  { title: 'DAY', of: (one) => one.day },
  { title: 'SYNCS', of: (one) => one.syncs, right: true },
  { title: 'REQUESTS', of: (one) => one.requests, right: true },
  { title: 'NEW', of: (one) => one.inserted, right: true },
  { title: 'ERRORS', of: (one) => one.errors, right: true, tone: ({ errors }) => (errors > 0 ? 'bad' : null) },
  { title: 'QUOTA LEFT', of: (one) => one.quotaLeft, right: true },
];

export const LOG_COLUMNS: readonly Column<ConnectorLog>[] = [
  { title: 'AT', of: (log) => log.at },
  { title: 'OPERATION', of: (log) => log.operation },
  { title: 'OUTCOME', of: (log) => log.outcome, tone: ({ outcome }) => (outcome === 'success' ? 'good' : 'bad') },
  { title: 'STATUS', of: (log) => log.status, right: true },
  { title: 'MS', of: (log) => log.durationMs, right: true },
  { title: 'ERROR', of: (log) => log.error?.code },
  { title: 'ID', of: (log) => log.id },
];

const GAP_TONES = { complete: 'good', gaps: 'bad', unknown: null } as const;

export const GAP_COLUMNS: readonly Column<Completeness>[] = [
  { title: 'SUB-ACCOUNT KEY', of: (one) => one.subAccountKey },
  { title: 'CURRENCY', of: (one) => one.currency },
  { title: 'STATUS', of: (one) => one.status, tone: ({ status }) => GAP_TONES[status] },
  { title: 'FROM', of: (one) => one.from },
  { title: 'TO', of: (one) => one.to },
  { title: 'GAPS', of: ({ gaps }) => gaps.map(({ day }) => day).join(' ') },
];
