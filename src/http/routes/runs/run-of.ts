import type { Outcome } from '../../../commands/command.ts';
import { type RuleRunDocument, ruleRuns } from '../../../projections/rule-runs.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import type { Reader } from '../../../queries/reader.ts';
import { leaseNames } from '../../../readstore/lease-names.ts';
import { isoTime } from '../../../shared/clock.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { runResource } from '../../resources/run.ts';

/** @throws ApiError RUN_NOT_FOUND */
export async function runOf(reader: Reader, id: string): Promise<RuleRunDocument> {
  const run = await reader.get(ruleRuns, id);
  if (run === undefined) throw new ApiError('RUN_NOT_FOUND');
  return run;
}

/** Runs as resources; the worker that holds one is not in the log and is added when reading. */
export async function runResources(services: HttpServices, runs: readonly RuleRunDocument[]) {
  const nameOf = ({ tenantId, id }: RuleRunDocument): string => leaseNames.ruleRun(tenantId, id);
  const open = runs.filter((run) => run.open);
  const leases = open.length === 0 ? new Map() : await services.leases.getMany(open.map(nameOf));
  const now = isoTime(services.clock.now());
  return runs.map((run) => runResource(run, leases.get(nameOf(run)), now));
}

/** The answer of every write to a run: the run folded from its events. @throws ApiError */
export function runReply<Status extends 200 | 201 | 202>(
  services: HttpServices,
  status: Status,
  outcome: Outcome<unknown>,
) {
  const { events, position } = requireAccepted(outcome);
  const result = runResource(documentAfter(ruleRuns, events), undefined, isoTime(services.clock.now()));
  return { status, result, position };
}
