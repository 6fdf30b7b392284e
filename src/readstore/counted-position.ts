/**
 * The `_position` of the next write of a document that is not folded from the log: its writes are counted, in 12
 * digits, so that their order as text is the order in which they were made.
 * @param before the `_position` of the write before; null or undefined for the first one
 */
export function nextPosition(before: string | null | undefined): string {
  return String(Number(before ?? '0') + 1).padStart(12, '0');
}
