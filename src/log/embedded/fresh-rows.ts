import type { Row } from './file.ts';

/** As many as some pages of a sync have; a follower that is further behind reads the file. */
const MOST_ROWS = 1_000;
/** Of all their texts, in characters. */
const MOST_LENGTH = 2_000_000;

/**
 * The last rows that this connection appended, as they were before they were packed. Whoever follows the log meets them
 * moments later, and need not read and unpack them again.
 */
export type FreshRows = {
  /** To be called for each row, in their order. */
  readonly note: (row: Row) => void;
  /** What was noted since the last call is in the file. */
  readonly committed: () => void;
  /** What was noted since the last {@link committed} is not in the file. */
  readonly forget: () => void;
  /** Up to `most` rows after the position, when the first of them is here; undefined when it is not. */
  readonly after: (position: number, most: number) => readonly Row[] | undefined;
};

export function createFreshRows(): FreshRows {
  /** Without gaps, the oldest first. */
  let rows: Row[] = [];
  let length = 0;
  let noted: Row[] = [];

  function clear(): void {
    rows = [];
    length = 0;
  }

  /** A quarter at a time, since the front of an array is dear to remove. */
  function dropOldest(): void {
    if (rows.length <= MOST_ROWS && length <= MOST_LENGTH) return;
    const dropped = rows.splice(0, Math.ceil(rows.length / 4));
    length -= dropped.reduce((sum, row) => sum + lengthOf(row), 0);
    dropOldest();
  }

  return {
    note(row) {
      noted.push(row);
    },
    committed() {
      const [first] = noted;
      if (first !== undefined) {
        // Another thread may have appended in between.
        if (rows.at(-1)?.position !== first.position - 1) clear();
        for (const row of noted) {
          rows.push(row);
          length += lengthOf(row);
        }
        dropOldest();
      }
      noted = [];
    },
    forget() {
      noted = [];
    },
    after(position, most) {
      const [oldest] = rows;
      if (oldest === undefined || position < oldest.position - 1) return undefined;
      const from = position - oldest.position + 1;
      return from < rows.length ? rows.slice(from, from + most) : undefined;
    },
  };
}

function lengthOf({ metadata, data }: Row): number {
  return metadata.length + data.length;
}
