import { isRefusal } from '../deciders/decider.ts';
import { type RuleRunOutcome, type RuleRunState, ruleRun } from '../deciders/rule-run.ts';
import type { StreamEvent } from '../events/event.ts';
import { streamName } from '../log/streams.ts';
import { type CommandContext, fold, metadataFor } from './command.ts';

/**
 * A run as its worker holds it: with the state known, so that the stream is not read for each page. Whatever others
 * append meanwhile, a request to cancel or another worker's page, causes a conflict and is read then.
 */
export type RunWork = {
  readonly state: () => RuleRunState;
  /**
   * Appends the facts of the decision, in one append. `moved` when the stream had moved on, or the run had ended:
   * nothing was appended, and the state is the new one.
   */
  readonly advance: (decide: (state: RuleRunState) => RuleRunOutcome) => Promise<'advanced' | 'moved'>;
};

/** @throws RangeError for a run that does not exist */
export async function openRunWork(context: CommandContext, runId: string): Promise<RunWork> {
  const stream = streamName('ruleRun', context.tenantId, runId);
  let state = ruleRun.initialState;
  let revision = -1;

  const take = (events: readonly StreamEvent[]): void => {
    state = fold({ ...ruleRun, initialState: state }, events);
    revision += events.length;
  };
  take(await context.log.readStream(stream));
  if (revision < 0) throw new RangeError(`no run ${runId}`);

  return {
    state: () => state,
    async advance(decide) {
      const facts = decide(state);
      if (isRefusal(facts)) return 'moved';
      if (facts.length === 0) return 'advanced';
      const events = facts.map((fact) => ({
        id: context.newId(),
        ...fact,
        metadata: metadataFor(context, fact.type, context.companyId),
      }));
      const appended = await context.log.append({ stream, expected: revision, events });
      if (appended.outcome === 'conflict') {
        take(await context.log.readStream(stream, { fromRevision: revision + 1 }));
        return 'moved';
      }
      state = facts.reduce(ruleRun.evolve, state);
      revision += facts.length;
      return 'advanced';
    },
  };
}
