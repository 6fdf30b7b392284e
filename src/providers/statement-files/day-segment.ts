/** One statement's rows of a day, in the order of the statement. */
export type DaySegment = {
  readonly id: string;
  /** The format of the statement: rows of the same format can be compared by their texts. */
  readonly format: string;
  /** The balance before the first row, in units; null when the statement states none. */
  readonly start: bigint | null;
  /** Whether the statement covers earlier days as well, so that no row of the day comes before its first one. */
  readonly beginsDay: boolean;
  /** Whether it covers later days as well, so that no row of the day comes after its last one. */
  readonly endsDay: boolean;
  readonly rows: readonly SegmentRow[];
};

export type SegmentRow = {
  /** Amount and direction: rows that differ in it are never the same. */
  readonly kind: string;
  /** The signed amount of the row, in units. */
  readonly change: bigint;
  readonly reference: string | null;
  /** All the text that the bank gives for it. */
  readonly text: string;
  /** The letters of its description, by which it is recognised in another format. */
  readonly words: string;
};
