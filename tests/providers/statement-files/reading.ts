import { bookedRow } from '../../../src/providers/statement-files/booked-rows.ts';
import { countKinds, openBooking } from '../../../src/providers/statement-files/booking.ts';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import type { Statement } from '../../../src/providers/statement-files/statement.ts';
import { toUnits } from '../../../src/shared/money.ts';

/** Every statement of a file without faults. @throws StatementFault the first fault */
export async function soundStatements(content: string | Uint8Array): Promise<readonly Statement[]> {
  const { statements, faults } = await readStatements(typeof content === 'string' ? Buffer.from(content) : content);
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  return statements;
}

/** The rows in booked order with their balances, and what the statement states. */
export function bookRows(statement: Statement) {
  const { rows, account } = statement;
  const booking = openBooking(countKinds());
  const key = ({ day, transactionDate }: Statement['rows'][number]) => `${day} ${transactionDate}`;
  const placed = rows.toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b)))).map(booking.add);
  const booked = booking.close(statement);
  const start = booked.start === null ? null : toUnits(booked.start);
  return { ...booked, rows: placed.map((one) => bookedRow(one, { start, currency: account.currency, alike: 1 })) };
}
