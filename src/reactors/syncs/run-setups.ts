import { endSetup, loadConnection } from '../../commands/change-connection.ts';
import { type ConnectionDocument, connections } from '../../projections/connections.ts';
import { type ProviderAccount, ProviderError } from '../../providers/bank-provider.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import { openWorkByTenant, type WorkByTenant } from '../../queries/work-by-tenant.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import { backoffMs } from '../../shared/backoff.ts';
import { isoTime } from '../../shared/clock.ts';
import type { Place } from '../../shared/fair-queue.ts';
import { withLease } from '../lease.ts';
import { type ReactorServices, workerContext } from '../reactor-services.ts';
import type { WorkPool } from '../work-pool.ts';
import { type BankSession, openBankSession } from './bank-session.ts';
import { pause } from './pause.ts';
import { claimedSubAccounts } from './sub-accounts.ts';
import { recordable } from './unforeseen.ts';

const TRIES = 4;

export function waitingSetups(readModels: ReadModels): WorkByTenant<ConnectionDocument> {
  return openWorkByTenant(readModels, ({ filter, limit }) =>
    readModels.of(connections).find({
      filter: [...filter, { field: 'setupId', op: 'gt', value: '' }],
      sort: [{ field: 'setupId', direction: 'asc' }],
      limit,
    }),
  );
}

/** Starts every requested setup that no worker holds. */
export async function runSetups(
  services: ReactorServices,
  waiting: WorkByTenant<ConnectionDocument>,
  pool: WorkPool,
): Promise<boolean> {
  for (const connection of await waiting.look()) {
    const { tenantId, _id: key } = connection;
    pool.offer({
      tenantId,
      key,
      work: (signal, place) =>
        withLease(services, leaseNames.setup(key), signal, (held) => runSetup(services, connection, held, place)),
    });
  }
  return false;
}

async function runSetup(
  services: ReactorServices,
  connection: ConnectionDocument,
  signal: AbortSignal,
  place: Place,
): Promise<boolean> {
  const { tenantId, companyId, id: accountId, bankCode, environment, setupId, setupRequestedAt } = connection;
  if (setupId === null) return false;
  const context = workerContext(services, 'setup', { tenantId, companyId, correlationId: setupId });
  // The read model may be behind: a bank is asked once per setup, not again because its end does not show yet.
  const { state } = await loadConnection(context, accountId);
  if (state.setupId !== setupId) return false;
  const durationMs = (): number => Math.max(0, services.clock.now() - Date.parse(setupRequestedAt ?? ''));
  let session: BankSession | null = null;
  try {
    const whose = { tenantId, companyId, accountId, bankCode, environment };
    session = await openBankSession(services, { ...whose, syncId: null, setupId, correlationId: setupId });
    const accounts = await discover(services, session, signal, place);
    const subAccounts = await claimedSubAccounts(context, { accountId, bankCode }, accounts);
    const completedAt = isoTime(services.clock.now());
    const requests = session.takeRequests();
    await endSetup(context, accountId, {
      type: 'ConnectionSetUp',
      data: { setupId, completedAt, durationMs: durationMs(), requests, subAccounts },
    });
  } catch (error) {
    const failure = recordable(error, signal, services.logger, `setup ${setupId}`, session?.masking.text);
    const nowMs = services.clock.now();
    const { code, kind, message } = failure;
    const outcome = await endSetup(context, accountId, {
      type: 'ConnectionSetupFailed',
      data: {
        setupId,
        failedAt: isoTime(nowMs),
        durationMs: durationMs(),
        requests: session?.takeRequests() ?? 0,
        kind,
        nextAllowedAt: failure.retryAfterMs === null ? null : isoTime(nowMs + failure.retryAfterMs),
        code,
        message,
      },
    });
    if (outcome.accepted && outcome.appended.length > 0) {
      services.logger.warn({ setup: setupId, connection: accountId, tenant: tenantId, code, kind }, 'a setup failed');
    }
  }
  return true;
}

async function discover(
  services: ReactorServices,
  session: BankSession,
  signal: AbortSignal,
  place: Place,
): Promise<ProviderAccount[]> {
  for (let failures = 1; ; failures += 1) {
    try {
      const { accounts, faults } = await session.call({ operation: 'accounts', page: null }, signal, (asked) =>
        session.provider.discoverAccounts(asked),
      );
      const [fault] = faults;
      if (accounts.length === 0 && fault !== undefined) {
        const place = [fault.source, fault.place].filter((part) => part !== null).join(', ');
        const message = session.masking.text(`${place}: ${fault.message}`);
        throw new ProviderError('permanent', fault.code, message);
      }
      return accounts;
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'transient' || failures >= TRIES) throw error;
      const limits = { firstMs: services.timing.syncRetryMs, mostMs: 60_000 };
      await place.rest(() => pause(backoffMs(failures, limits, services.random), signal));
    }
  }
}
