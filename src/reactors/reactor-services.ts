import type { CommandContext } from '../commands/command.ts';
import type { EventLog } from '../log/log.ts';
import type { BankProvider } from '../providers/bank-provider.ts';
import type { ConnectorLogs } from '../providers/connector-logs.ts';
import type { Vault } from '../providers/vault.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { ReadStore } from '../readstore/read-store.ts';
import type { Clock } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import { RETRY_TIMES, type RetryTimes } from '../webhooks/attempts.ts';
import type { Logger } from './reactor.ts';

/** What reactors need from the rest of the service. */
export type ReactorServices = {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly readModels: ReadModels;
  readonly providers: ReadonlyMap<string, BankProvider>;
  readonly vault: Vault;
  readonly connectorLogs: ConnectorLogs;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  /** This process's name on leases. */
  readonly owner: string;
  readonly timing: Timing;
  /** Does a part of a tenant's long work, sharing the event loop with others; unset: immediately. */
  readonly pace?: Pace;
};

export type Pace = <T>(tenantId: string, part: () => Promise<T>) => Promise<T>;

export const atOnce: Pace = (_, part) => part();

/** All in milliseconds. */
export type Timing = {
  readonly leaseMs: number;
  readonly idleMs: number;
  readonly providerTimeoutMs: number;
  /** First pause after a transient provider failure; doubled each time. */
  readonly syncRetryMs: number;
  /** How long an event may wait for its seal, and how often waiting events are looked for. */
  readonly sealAfterMs: number;
  readonly sealIdleMs: number;
  /** How long a receiver of a webhook has for its answer. */
  readonly webhookTimeoutMs: number;
  readonly webhookRetries: RetryTimes;
};

export const defaultTiming: Timing = {
  leaseMs: 30_000,
  idleMs: 1_000,
  providerTimeoutMs: 30_000,
  syncRetryMs: 1_000,
  sealAfterMs: 3_600_000,
  sealIdleMs: 60_000,
  webhookTimeoutMs: 15_000,
  webhookRetries: RETRY_TIMES,
};

/** The context of background work: on behalf of the worker, correlated with the request that caused it. */
export function workerContext(
  services: ReactorServices,
  worker: string,
  work: { tenantId: string; companyId: string | null; correlationId: string },
): CommandContext {
  const { log, clock, newId } = services;
  return { log, clock, newId, actor: { type: 'system', id: worker }, ...work };
}
