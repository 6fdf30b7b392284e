/** A category of streams and a tenant, as in the names of its streams: `transactionRule-{tenant}`. */
type Owner = string;

/** The newest event of each owner among those after `from` (exclusive) and up to `to`. */
export type ReadNewest = (from: number, to: number) => Iterable<{ readonly owner: Owner; readonly position: number }>;

/**
 * Events that one question reads at most. With more than that between two questions, which takes another thread that
 * appends without a pause, only the newest count as known.
 */
const MOST_READ = 5_000;

/**
 * Where the streams of a category and tenant changed last. What this thread appends is noted as it is appended, and
 * what another thread appended is read when somebody asks, each event once. So a question costs what others have
 * appended since the last one, however long the log is.
 */
export type NewestChanges = {
  /** To be called for each append, also of one that is rolled back later: a question then errs on the safe side. */
  readonly note: (stream: string, position: number) => void;
  /** To be called after a commit that appended everything between the two. */
  readonly committed: (from: number, to: number) => void;
  /**
   * False when the owner has an event after the position, or may have.
   * @param to the last event that is committed; what is appended after it has been noted
   */
  readonly isUnchanged: (owner: Owner, after: number, to: number) => boolean;
};

/** @param end the last event of the log: nothing before it is known, nor asked for in practice */
export function openNewestChanges(end: number, readNewest: ReadNewest): NewestChanges {
  /** What is known: the newest event of each owner among those after `knownFrom` and up to `knownTo`. */
  let knownFrom = end;
  let knownTo = end;
  const newest = new Map<Owner, number>();

  function raise(owner: Owner, position: number): void {
    if (position > (newest.get(owner) ?? 0)) newest.set(owner, position);
  }

  return {
    note(stream, position) {
      raise(stream.slice(0, stream.indexOf('_')), position);
    },
    committed(from, to) {
      if (knownTo === from) knownTo = to;
    },
    isUnchanged(owner, after, to) {
      if (to - knownTo > MOST_READ) {
        knownTo = to - MOST_READ;
        knownFrom = knownTo;
      }
      if (to > knownTo) {
        for (const change of readNewest(knownTo, to)) raise(change.owner, change.position);
        knownTo = to;
      }
      return after >= knownFrom && (newest.get(owner) ?? 0) <= after;
    },
  };
}
