import type { ProviderTransaction } from '../bank-provider.ts';
import { type BookedRow, kindOf } from './booked-rows.ts';
import type { DayOutline } from './day-outlines.ts';
import type { AccountPlaces } from './folder-index.ts';
import type { FiledStatement } from './statement-file.ts';

/** For each row its number among those of its day and kind in the statement, from 0, and how many those are. */
type Numbering = { readonly nth: Uint32Array; readonly counts: ReadonlyMap<string, number> };

/** Numbered once for all pages of a statement. */
const numberings = new WeakMap<FiledStatement, Numbering>();

function numberingOf(statement: FiledStatement): Numbering {
  const known = numberings.get(statement);
  if (known !== undefined) return known;
  const nth = new Uint32Array(statement.rows.length);
  const counts = new Map<string, number>();
  for (const [index, row] of statement.rows.entries()) {
    const before = counts.get(groupOf(row)) ?? 0;
    nth[index] = before;
    counts.set(groupOf(row), before + 1);
  }
  const numbering = { nth, counts };
  numberings.set(statement, numbering);
  return numbering;
}

function groupOf(row: BookedRow): string {
  return `${row.day} ${kindOf(row)}`;
}

/** Rows of a statement, by their indexes, as the port wants them, each with the group it is in and its number there. */
export function incomingRows(
  statement: FiledStatement,
  indexes: readonly number[],
  days: readonly DayOutline[],
  places: AccountPlaces,
): ProviderTransaction[] {
  const { account, rows } = statement;
  const { nth, counts } = numberingOf(statement);
  const told = new Map(days.map((outline) => [outline.day, outline]));
  return indexes.flatMap((at) => {
    const row = rows[at];
    if (row === undefined) return [];
    const { day, formerDay } = row;
    const kind = kindOf(row);
    const outline = told.get(day);
    const placed = outline === undefined ? null : places.placedDay(outline);
    const own = nth[at] ?? 0;
    const index = placed?.indexes.get(kind)?.[own] ?? own;
    const size = Math.max(placed?.totals.get(kind) ?? 0, counts.get(groupOf(row)) ?? 0, index + 1);
    return [{ ...portRow(row), group: { key: `${account.key}/${day}/${kind}`, size, index, formerDay } }];
  });
}

export function portRow(row: BookedRow): ProviderTransaction {
  const { providerId, discriminator, transactionDate, amount, incoming, balance, currency } = row;
  const { description, nameSurname, iban, idNo, code, findAI } = row;
  const content = { description, nameSurname, iban, idNo, code, findAI };
  const references = Object.keys(row.references).length === 0 ? {} : { references: row.references };
  return { providerId, discriminator, transactionDate, amount, incoming, balance, currency, ...content, ...references };
}
