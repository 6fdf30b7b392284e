import type { Replays } from '../audit/replays.ts';
import type { Config } from '../config.ts';
import type { EventLog } from '../log/log.ts';
import { apiKeys } from '../projections/api-keys.ts';
import { connections } from '../projections/connections.ts';
import type { Projection } from '../projections/projection.ts';
import { ruleRuns } from '../projections/rule-runs.ts';
import { ruleVersions } from '../projections/rules.ts';
import { users } from '../projections/users.ts';
import { webhooks } from '../projections/webhooks.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { Condition, Document, Filter } from '../readstore/read-store.ts';
import type { Clock } from '../shared/clock.ts';
import { type Count, createTenantLimits, type TenantLimits } from '../traffic/tenant-limits.ts';

/** What was answered becomes visible within milliseconds; where it does not, what is visible counts. */
const VISIBLE_WITHIN_MS = 5_000;

export function openTenantLimits(options: {
  readonly limits: Config['tenantLimits'];
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly replays: Replays;
  readonly waitFor: (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
  readonly clock: Clock;
}): TenantLimits {
  const { limits, log, readModels, replays, waitFor, clock } = options;
  const ownedBy = (tenantId: string): Condition => ({ field: 'tenantId', op: 'eq', value: tenantId });

  function documents<D extends Document>(limit: number, projection: Projection<D>, filter: Filter): Count {
    return {
      limit,
      async count(tenantId, most) {
        await waitFor([projection.name], await log.head(), VISIBLE_WITHIN_MS);
        return readModels.of(projection).count([ownedBy(tenantId), ...filter], most + 1);
      },
    };
  }

  const ruleBytes: Count = {
    limit: limits.ruleBytes,
    async count(tenantId, most) {
      await waitFor([ruleVersions.name], await log.head(), VISIBLE_WITHIN_MS);
      let bytes = 0;
      const all = { filter: [ownedBy(tenantId)], sort: [], pageSize: 50 };
      for await (const version of readModels.of(ruleVersions).iterate(all)) {
        bytes += Buffer.byteLength(JSON.stringify(version));
        if (bytes > most) break;
      }
      return bytes;
    },
  };

  return createTenantLimits(
    {
      openRuns: documents(limits.openRuns, ruleRuns, [{ field: 'open', op: 'eq', value: true }]),
      openReplays: { limit: limits.openReplays, count: (tenantId, most) => replays.countOpen(tenantId, most + 1) },
      apiKeys: documents(limits.apiKeys, apiKeys, [{ field: 'revokedAt', op: 'eq', value: null }]),
      users: documents(limits.users, users, []),
      connections: documents(limits.connections, connections, [{ field: 'archivedAt', op: 'eq', value: null }]),
      webhooks: documents(limits.webhooks, webhooks, [
        { field: 'status', op: 'in', value: ['active', 'paused', 'disabled'] },
      ]),
      ruleBytes,
    },
    clock,
  );
}
