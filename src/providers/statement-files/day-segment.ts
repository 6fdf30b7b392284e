/** One statement's rows of a day, in the order of the statement. */
export type DaySegment = {
  readonly id: string;
  /** What wrote it: two of one format can be compared by their texts. */
  readonly format: string;
  /** The balance before the first row, in units; null when the statement states none. */
  readonly start: bigint | null;
  /** The statement tells of days before as well, so that no row of the day comes before its first one. */
  readonly beginsDay: boolean;
  /** It tells of days behind as well, so that no row of the day comes after its last one. */
  readonly endsDay: boolean;
  readonly rows: readonly SegmentRow[];
};

export type SegmentRow = {
  /** Amount and direction: rows that differ in it are never the same. */
  readonly kind: string;
  /** What the row moves, in units. */
  readonly change: bigint;
  readonly reference: string | null;
  /** All the bank says of it. */
  readonly text: string;
  /** The letters of its description, by which it is known in another format too. */
  readonly words: string;
};
