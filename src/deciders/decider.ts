/** An expected "no" of the domain: a code of the error table and what the caller needs to know. Never thrown inside a decider. */
export type Refusal = { readonly refused: string; readonly meta?: Readonly<Record<string, unknown>> };

/** A fact before it has an id and metadata. */
export type Fact<Type extends string = string, Data = unknown> = { readonly type: Type; readonly data: Data };

/**
 * The rules of one aggregate, pure: no clock, no randomness, no I/O. An empty list of facts means that what was asked is so already.
 */
export type Decider<State, F extends Fact> = {
  readonly initialState: State;
  readonly evolve: (state: State, fact: F) => State;
};

export function isRefusal(outcome: readonly Fact[] | Refusal): outcome is Refusal {
  return 'refused' in outcome;
}
