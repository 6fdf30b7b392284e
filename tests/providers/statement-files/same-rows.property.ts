import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { createStatementFiles } from '../../../src/providers/statement-files/statement-files.ts';
import { memoryLog } from '../../support/small-reactor-services.ts';
import { openStatementLedger } from '../../support/statement-ledger.ts';
import { type BankRow, type BankStatement, camtStatement, mt940Statement } from '../../support/statement-texts.ts';
import { NOW_MS, sessionOf, unclaimed } from '../sessions.ts';

const OLD = new Date(NOW_MS - 3_600_000);
const DAYS = ['2025-03-03', '2025-03-04', '2025-03-05', '2025-03-07'];

/**
 * Where the month begins: statements of one day that lead back to where they began do not show which of them is
 * the first.
 */
const BEFORE: BankRow = { day: '2025-02-28', change: 1, text: 'Before' };

const AFTER: BankRow = { day: '2025-03-31', change: 2, text: 'After' };

type Delivery = { readonly statement: BankStatement; readonly camt: boolean; readonly sync: boolean };
type Month = { readonly rows: readonly BankRow[]; readonly opening: number; readonly deliveries: readonly Delivery[] };

/**
 * Few amounts, texts and days, and some rows are equal to the previous one. No balance of a day recurs: if one
 * does, several orders of the statements may fit, between which no reader can decide.
 */
const bankRow = fc.record({
  twin: fc.boolean(),
  day: fc.nat({ max: DAYS.length - 1 }),
  change: fc.constantFrom(10, 10, 20, 7, -1003, -1010),
  text: fc.constantFrom('Fee', 'Rent', 'Invoice', 'Interest'),
});

/**
 * A month's rows as a bank keeps them, and files of any parts of them, delivered in any order, which contain each row
 * at least once.
 */
const months: fc.Arbitrary<Month> = fc
  .tuple(fc.array(bankRow, { minLength: 1, maxLength: 12 }), fc.integer({ min: -20, max: 200 }))
  .chain(([some, opening]) => {
    const month = some
      .toSorted((a, b) => a.day - b.day)
      .map(({ day, change, text }, index): BankRow => ({ day: DAYS[day] ?? '', change, text: `${text} ${index}` }));
    for (const [index, { twin }] of some.entries()) {
      const [before, row] = [month[index - 1], month[index]];
      if (twin && before !== undefined && row?.day === before.day) month[index] = before;
    }
    const rows = [BEFORE, ...month, AFTER];
    const cuts = fc.array(fc.nat({ max: rows.length }), { maxLength: 4 });
    const spans = fc.array(fc.tuple(fc.nat({ max: rows.length }), fc.nat({ max: rows.length })), { maxLength: 4 });
    return fc.tuple(cuts, spans).chain(([at, extra]) => {
      const places = [...new Set([0, ...at, rows.length])].sort((a, b) => a - b);
      const whole = places.slice(1).map((to, index): [number, number] => [places[index] ?? 0, to]);
      const further = extra.map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);
      const parts = [...whole, ...further].filter(([from, to]) => to > from);
      const delivery = ([from, to]: [number, number]): fc.Arbitrary<Delivery> =>
        fc
          .tuple(fc.boolean(), fc.boolean(), fc.boolean())
          .map(([camt, sync, turned]) => ({ statement: statementOf(rows, opening, from, to, turned), camt, sync }));
      return fc
        .tuple(...parts.map(delivery))
        .chain((made) =>
          fc
            .tuple(
              fc.shuffledSubarray(made, { minLength: made.length, maxLength: made.length }),
              fc.array(fc.constantFrom(...made), { maxLength: 3 }),
            )
            .map(([first, again]) => ({ rows, opening, deliveries: [...first, ...again] })),
        );
    });
  });

/**
 * `turned`: the rows of a day are in reverse order, as from banks that list the last one first; only for complete
 * days.
 */
function statementOf(
  rows: readonly BankRow[],
  opening: number,
  from: number,
  to: number,
  turned: boolean,
): BankStatement {
  const start = rows.slice(0, from).reduce((sum, { change }) => sum + change, opening);
  const part = rows.slice(from, to);
  if (!turned) return { opening: start, rows: part };
  const whole = (day: string): boolean =>
    rows.filter((row) => row.day === day).length === part.filter((row) => row.day === day).length;
  const days = [...new Set(part.map(({ day }) => day))];
  const ordered = days.flatMap((day) => {
    const ofDay = part.filter((row) => row.day === day);
    return whole(day) ? ofDay.toReversed() : ofDay;
  });
  return { opening: start, rows: ordered };
}

function shown(day: string, change: number, text: string | null): string {
  return `${day} ${change} ${text}`;
}

/**
 * Any split of a month's rows into files, in any order and format, delivered any number of times, leaves the same rows
 * and balances.
 */
export async function holdsForAnySplit(numRuns: number, seed?: number): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'same-rows-'));
  const log = memoryLog();
  let cases = 0;
  try {
    await fc.assert(
      fc.asyncProperty(months, async ({ rows, deliveries }) => {
        cases += 1;
        const folder = `case-${cases}`;
        await mkdir(join(root, folder));
        const bank = createStatementFiles({ statementsDir: root, folderOwners: unclaimed });
        const session = () => sessionOf({ folder }, { environment: 'production', tenantId: folder });
        const ledger = await openStatementLedger(log, bank, session, folder);
        for (const [index, { statement, camt, sync }] of deliveries.entries()) {
          const path = join(root, folder, `${String(index).padStart(3, '0')}.${camt ? 'xml' : 'sta'}`);
          await writeFile(path, camt ? camtStatement(statement) : mt940Statement(statement));
          await utimes(path, OLD, OLD);
          if (sync) await ledger.sync();
        }
        await ledger.sync();
        const recorded = ledger.rows().map(({ transactionDate, amount, incoming, description }) => {
          return shown(transactionDate.slice(0, 10), Number(amount) * (incoming ? 1 : -1), description);
        });
        expect(recorded.sort()).toEqual(rows.map(({ day, change, text }) => shown(day, change, text)).sort());
        const { gaps, status } = ledger.completeness();
        expect({ status, gaps }).toEqual({ status: 'complete', gaps: [] });
        expect(await ledger.sync()).toMatchObject({ inserted: 0 });
        await rm(join(root, folder), { recursive: true });
      }),
      { numRuns, ...(seed === undefined ? {} : { seed }) },
    );
  } finally {
    await log.close();
    await rm(root, { recursive: true });
  }
}
