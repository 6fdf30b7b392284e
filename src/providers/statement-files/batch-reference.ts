/** A batch booking as a notification (camt.054) lists it. */
export type Batch = {
  /** The bank's reference of the booking. */
  readonly reference: string;
  readonly amount: string;
  readonly incoming: boolean;
  /** Which entry of its notification it is. */
  readonly nth: number;
};

/** The reference of a payment within a notification. */
export function batchReference({ reference, amount, incoming, nth }: Batch): string {
  return JSON.stringify([reference, amount, incoming, nth]);
}

export function batchOf(reference: string): Batch {
  const [given, amount, incoming, nth] = JSON.parse(reference) as [string, string, boolean, number];
  return { reference: given, amount, incoming, nth };
}
