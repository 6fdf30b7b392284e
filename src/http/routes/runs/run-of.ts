import type { LongOutcome } from '../../../commands/command.ts';
import type { RuleRunState } from '../../../deciders/rule-run.ts';
import { streamName } from '../../../log/streams.ts';
import { type RuleRunDocument, ruleRuns } from '../../../projections/rule-runs.ts';
import type { Reader } from '../../../queries/reader.ts';
import { leaseNames } from '../../../readstore/lease-names.ts';
import { isoTime } from '../../../shared/clock.ts';
import { documentAfterWrite } from '../../core/document-after-write.ts';
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

/** The answer of every write to a run. @throws ApiError */
export async function runReply<Status extends 200 | 201 | 202>(
  { services, reader }: { readonly services: HttpServices; readonly reader: Reader },
  status: Status,
  outcome: LongOutcome<RuleRunState>,
) {
  const { appended, state, position } = requireAccepted(outcome);
  const id = state.requested?.runId ?? '';
  const written = { stream: streamName('ruleRun', reader.tenantId, id), appended };
  const run = await documentAfterWrite(services.log, ruleRuns, written, () => reader.get(ruleRuns, id));
  return { status, result: runResource(run, undefined, isoTime(services.clock.now())), position };
}
