import { expect, vi } from 'vitest';
import type { Decider, Fact } from '../../src/deciders/decider.ts';
import type { Refusal, RefusalCode } from '../../src/deciders/refusal.ts';
import type { Like } from '../support/like.ts';

/** A check that only allows or refuses gives null where it allows. */
type Outcome<F extends Fact> = readonly F[] | Refusal | null;

type Given<State, F extends Fact> = {
  readonly recordedFacts: readonly F[];
  readonly when: (decide: (state: State) => Outcome<F>) => Decision<State, F>;
  /** For questions that the facts answer without a decision. */
  readonly asking: <Answer>(question: (state: State) => Answer) => { readonly gives: (answer: Answer) => void };
  readonly thenState: (state: Like<State>) => void;
};

/** After a decision, its facts are part of what is given next, so that a test can make one decision after another. */
type Decision<State, F extends Fact> = {
  /** These facts, whole and no others. */
  readonly then: (facts: readonly F[]) => Given<State, F>;
  /** These facts and no others; only some of their fields are given. */
  readonly thenLike: (facts: readonly Like<F>[]) => Given<State, F>;
  /** The requested state already holds. */
  readonly thenNothing: () => Given<State, F>;
  readonly thenRefused: (code: RefusalCode, meta?: Readonly<Record<string, unknown>>) => void;
  readonly thenAllowed: () => void;
};

/** `given(facts).when((state) => decision).then(facts)` for one decider. A failure points at the line of the test. */
export function specification<State, F extends Fact>(decider: Decider<State, F>) {
  return function given(facts: readonly F[]): Given<State, F> {
    const state = facts.reduce<State>(decider.evolve, decider.initialState);
    return {
      recordedFacts: facts,
      when: (decide) => decision(facts, decide(state)),
      asking: (question) => ({ gives: vi.defineHelper((answer) => expect(question(state)).toEqual(answer)) }),
      thenState: vi.defineHelper((expected) => expect(state).toMatchObject(expected as object)),
    };
  };

  function decision(facts: readonly F[], outcome: Outcome<F>): Decision<State, F> {
    const given = specification(decider);
    const after = () => given(Array.isArray(outcome) ? [...facts, ...outcome] : facts);
    return {
      // biome-ignore lint/suspicious/noThenProperty: the third word of given, when, then; a decision is never awaited.
      then: vi.defineHelper((expected) => {
        expect(outcome).toEqual(expected);
        return after();
      }),
      thenLike: vi.defineHelper((expected) => {
        expect(outcome).toMatchObject(expected);
        return after();
      }),
      thenNothing: vi.defineHelper(() => {
        expect(outcome).toEqual([]);
        return after();
      }),
      thenRefused: vi.defineHelper((refused, meta) => {
        expect(outcome).toEqual(meta === undefined ? { refused } : { refused, meta });
      }),
      thenAllowed: vi.defineHelper(() => expect(outcome).toBeNull()),
    };
  }
}
