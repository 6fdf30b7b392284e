import { REPLAYED_NAMES } from '../audit/replay-company.ts';
import { accountDays } from '../projections/account-days.ts';
import { assignments } from '../projections/assignments.ts';
import { connections } from '../projections/connections.ts';
import { history } from '../projections/history.ts';
import { ruleRuns } from '../projections/rule-runs.ts';
import { ruleVersions } from '../projections/rules.ts';
import { scheduleRuns } from '../projections/schedule-runs.ts';
import { schedules } from '../projections/schedules.ts';
import { seals } from '../projections/seals.ts';
import { syncRuns } from '../projections/sync-runs.ts';
import { tenants } from '../projections/tenants.ts';
import { transactions } from '../projections/transactions.ts';

const named = (...projections: readonly { readonly name: string }[]): readonly string[] =>
  projections.map(({ name }) => name);

/** The read models that each worker finds its work in and decides by. */
export const WORKER_READS = {
  setups: named(tenants, connections),
  syncs: named(tenants, connections, syncRuns, transactions, accountDays, history),
  automation: named(tenants, transactions, ruleVersions),
  'rule runs': named(tenants, ruleRuns, transactions, ruleVersions, assignments),
  schedules: named(tenants, schedules, scheduleRuns, connections),
  seals: named(tenants, history, seals),
  replays: [...new Set([...REPLAYED_NAMES, tenants.name, history.name])],
} as const;
