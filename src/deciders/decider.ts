import type { Refusal } from './refusal.ts';

/** A fact before it has an id and metadata. */
export type Fact<Type extends string = string, Data = unknown> = { readonly type: Type; readonly data: Data };

/**
 * The rules of one aggregate, pure: no clock, no randomness, no I/O. An empty list of facts means that the requested
 * state already holds.
 */
export type Decider<State, F extends Fact> = {
  readonly initialState: State;
  readonly evolve: (state: State, fact: F) => State;
};

export function isRefusal(outcome: readonly Fact[] | Refusal): outcome is Refusal {
  return 'refused' in outcome;
}
