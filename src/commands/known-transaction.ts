/**
 * What is known of a transaction already: which page of which sync recorded it, with what content, and whether it
 * stands.
 */
export type KnownTransaction = {
  readonly syncId: string;
  readonly syncPage: number;
  readonly contentHash: string;
  /** False once the bank has withdrawn it. */
  readonly status: boolean;
  readonly description?: string | null;
  readonly nameSurname?: string | null;
  readonly iban?: string | null;
};

/**
 * A look at the read model: may be behind, never wrong. What it does not know is settled by the log; a withdrawal it
 * does not know of yet is taken back by a later sync.
 */
export type LookUpKnown = (ids: readonly string[]) => Promise<ReadonlyMap<string, KnownTransaction>>;
