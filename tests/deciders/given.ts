import type { Decider, Fact } from '../../src/deciders/decider.ts';
import type { Refusal } from '../../src/deciders/refusal.ts';

/** `given(decider, facts)(decide)`: what the decision gives after those facts. */
export function given<State, F extends Fact>(decider: Decider<State, F>, facts: readonly F[]) {
  const state = facts.reduce<State>(decider.evolve, decider.initialState);
  return (decide: (state: State) => readonly F[] | Refusal) => decide(state);
}
