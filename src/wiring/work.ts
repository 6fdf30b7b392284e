import type { ProjectionRunner } from '../projections/engine/projection-runner.ts';
import type { SettledReads } from '../projections/engine/settled-reads.ts';
import type { Reactor } from '../reactors/reactor.ts';
import type { RequestClaims } from '../traffic/request-claims.ts';
import type { Parts } from './parts.ts';
import { startReactors } from './reactors.ts';
import type { Webhooks } from './webhooks.ts';

/** Starts all reactors beside the projections that they read. */
export function startWork(options: {
  readonly parts: Parts;
  readonly runner: ProjectionRunner;
  readonly webhooks: Webhooks;
  readonly settledReads: SettledReads;
  readonly requestClaims: RequestClaims;
  readonly runPageSize?: number;
}): Reactor[] {
  const { parts, runner, webhooks, settledReads, requestClaims, runPageSize } = options;
  const { services, ruleBook, sealingKey, replays } = parts;
  const reactors = startReactors(services, runner, ruleBook, requestClaims, {
    sealingKey,
    replays,
    ...(runPageSize === undefined ? {} : { runPageSize }),
  });
  return reactors.concat(webhooks.start(runner, settledReads));
}
