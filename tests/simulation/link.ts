/**
 * The way from an instance to a store. Every call of a store goes through one: that is where faults strike. A link
 * carries out the effect once, later, twice or never, and answers, fails or never settles.
 */
export type Link = {
  /** @throws what the port declares for a store that does not answer */
  readonly read: <T>(name: string, effect: () => T) => Promise<T>;
  /**
   * @param effect what the store does; it may happen although the call fails, and after the call failed
   * @param part what the store does when it is interrupted halfway, for a write of many things
   */
  readonly write: <T>(name: string, effect: () => T, part?: () => unknown) => Promise<T>;
  /** Resolves a moment later: a subscription looks for new events then. */
  readonly rest: () => Promise<void>;
};

const nextTurn = setImmediate;

/** Without faults: each call takes effect and is answered. */
export const faultlessLink: Link = {
  read: async (_, effect) => effect(),
  write: async (_, effect) => effect(),
  rest: () => new Promise((resolve) => nextTurn(resolve)),
};
