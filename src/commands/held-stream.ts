import type { Decider, Fact } from '../deciders/decider.ts';
import type { EventType } from '../events/registry.ts';
import { type CommandContext, metadataFor } from './command.ts';
import { readState } from './stream-state.ts';

/**
 * A stream in the hands of its worker, who knows its state: however long it is, only what came since is read, and that
 * others have appended is noticed by the revision that an append expects.
 */
export type HeldStream<State, F extends Fact> = {
  readonly stream: string;
  /** As of the last `read` or `append`. */
  readonly state: () => State;
  /** False for a stream without events. */
  readonly exists: () => boolean;
  /** Takes in what others have appended since. @throws LogUnavailable */
  readonly read: () => Promise<State>;
  /**
   * Appends facts that were decided on the state, in one append. `moved`: others had appended, so nothing was, and the
   * state includes what they did. After an error only `read` shows whether the facts are in the log.
   * @throws LogUnavailable, EventSchemaError
   */
  readonly append: (facts: readonly F[]) => Promise<'appended' | 'moved'>;
};

/** @throws LogUnavailable */
export async function holdStream<State, F extends Fact>(
  context: CommandContext,
  stream: string,
  decider: Decider<State, F>,
): Promise<HeldStream<State, F>> {
  let held = await readState(context.log, stream, decider);

  async function read(): Promise<State> {
    held = await readState(context.log, stream, decider, held);
    return held.state;
  }

  return {
    stream,
    state: () => held.state,
    exists: () => held.revision >= 0,
    read,
    async append(facts) {
      const { state, revision, first } = held;
      const events = facts.map((fact) => ({
        id: context.newId(),
        ...fact,
        metadata: metadataFor(context, fact.type as EventType, context.companyId),
      }));
      const expected = revision < 0 ? 'no-stream' : revision;
      const appended = await context.log.append({ stream, expected, events });
      if (appended.outcome === 'conflict') {
        await read();
        return 'moved';
      }
      held = { state: facts.reduce(decider.evolve, state), revision: revision + facts.length, first };
      return 'appended';
    },
  };
}
