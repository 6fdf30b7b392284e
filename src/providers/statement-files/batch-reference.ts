/** A batch booking as a notification (camt.054) lists it. */
export type Batch = {
  /** The bank's reference of the booking; null where the notification has none. */
  readonly reference: string | null;
  readonly amount: string;
  readonly incoming: boolean;
  /** The number of its entry in the notification, from 1. */
  readonly nth: number;
};

/** The reference of a payment within a notification. */
export function batchReference({ reference, amount, incoming, nth }: Batch): string {
  return JSON.stringify([reference, amount, incoming, nth]);
}

export function batchOf(reference: string): Batch {
  const [given, amount, incoming, nth] = JSON.parse(reference) as [string | null, string, boolean, number];
  return { reference: given, amount, incoming, nth };
}
