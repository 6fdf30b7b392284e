import type { ProviderTransaction } from '../bank-provider.ts';
import type { BookedRow } from './booked-rows.ts';
import type { DayOutline } from './day-outlines.ts';
import type { AccountPlaces } from './folder-index.ts';
import type { FiledStatement } from './statement-file.ts';

/** A statement's rows as the port wants them, each with the group it is in and its number there. */
export function incomingRows(
  { account, rows }: FiledStatement,
  days: readonly DayOutline[],
  places: AccountPlaces,
): ProviderTransaction[] {
  const told = new Map(days.map((outline) => [outline.day, outline]));
  const counts = new Map<string, number>();
  for (const { day, kind } of rows) counts.set(`${day} ${kind}`, (counts.get(`${day} ${kind}`) ?? 0) + 1);
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const { day, kind, formerDay } = row;
    const group = `${day} ${kind}`;
    const nth = seen.get(group) ?? 0;
    seen.set(group, nth + 1);
    const outline = told.get(day);
    const placed = outline === undefined ? null : places.placedDay(outline);
    const index = placed?.indexes.get(kind)?.[nth] ?? nth;
    const size = Math.max(placed?.totals.get(kind) ?? 0, counts.get(group) ?? 0, index + 1);
    return { ...portRow(row), group: { key: `${account.key}/${day}/${kind}`, size, index, formerDay } };
  });
}

function portRow(row: BookedRow): ProviderTransaction {
  const { providerId, discriminator, transactionDate, amount, incoming, balance, currency } = row;
  const { description, nameSurname, iban, idNo, code, findAI } = row;
  const content = { description, nameSurname, iban, idNo, code, findAI };
  const references = Object.keys(row.references).length === 0 ? {} : { references: row.references };
  return { providerId, discriminator, transactionDate, amount, incoming, balance, currency, ...content, ...references };
}
