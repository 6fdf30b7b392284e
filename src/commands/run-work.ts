import { isRefusal } from '../deciders/decider.ts';
import { type RuleRunOutcome, type RuleRunState, ruleRun } from '../deciders/rule-run.ts';
import { streamName } from '../log/streams.ts';
import type { CommandContext } from './command.ts';
import { holdStream } from './held-stream.ts';

/**
 * A run as its worker holds it. Whatever others append meanwhile, a request to cancel or another worker's page, is read
 * when the worker appends.
 */
export type RunWork = {
  readonly state: () => RuleRunState;
  /**
   * Appends the facts of the decision, in one append. `moved` when the stream had moved on, or the run had ended:
   * nothing was appended, and the state is the new one.
   */
  readonly advance: (decide: (state: RuleRunState) => RuleRunOutcome) => Promise<'advanced' | 'moved'>;
};

/** @throws RangeError for a run that does not exist, LogUnavailable */
export async function openRunWork(context: CommandContext, runId: string): Promise<RunWork> {
  const run = await holdStream(context, streamName('ruleRun', context.tenantId, runId), ruleRun);
  if (!run.exists()) throw new RangeError(`no run ${runId}`);

  return {
    state: run.state,
    async advance(decide) {
      const facts = decide(run.state());
      if (isRefusal(facts)) return 'moved';
      if (facts.length === 0) return 'advanced';
      return (await run.append(facts)) === 'appended' ? 'advanced' : 'moved';
    },
  };
}
