/**
 * What is already known about a transaction: which page of which sync recorded it, with what content, and whether it is
 * active.
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
 * Read from the read model, which may be behind but is never wrong. What it does not show yet is decided by the log; a
 * withdrawal that it does not show yet is undone by a later sync.
 */
export type LookUpKnown = (ids: readonly string[]) => Promise<ReadonlyMap<string, KnownTransaction>>;
