import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BookedRow } from '../../../src/providers/statement-files/booked-rows.ts';
import type {
  ClosingSummary,
  FileContent,
  FiledStatement,
} from '../../../src/providers/statement-files/file-content.ts';
import { readInMemory } from '../../../src/providers/statement-files/small-file.ts';
import { spoolParts } from '../../../src/providers/statement-files/spool-parts.ts';
import { openSpooledFile } from '../../../src/providers/statement-files/spooled-file.ts';
import { type Statement, StatementFault, type StatementRow } from '../../../src/providers/statement-files/statement.ts';
import { collectStatements, type StatementPart } from '../../../src/providers/statement-files/statement-parts.ts';
import { add, negate } from '../../../src/shared/money.ts';
import { forcedCollections } from '../../support/forced-collections.ts';
import { bookRows } from './reading.ts';

let folder: string;
let files = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spooled-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const DAYS = ['2025-03-01', '2025-03-02', '2025-03-04', '2025-03-31'];
const day = fc.constantFrom(...DAYS);

const row: fc.Arbitrary<StatementRow> = fc
  .record({
    day,
    time: fc.constantFrom('T00:00:00.000Z', 'T08:00:00.000Z', 'T23:30:00.000Z'),
    amount: fc.constantFrom('1', '1', '2.5', '1000'),
    incoming: fc.boolean(),
    description: fc.option(fc.string({ maxLength: 5 })),
    reference: fc.option(fc.constantFrom('R1', 'R2')),
    findAI: fc.boolean(),
  })
  .map(({ time, ...said }) => ({
    ...said,
    transactionDate: `${said.day}${time}`,
    formerDay: null,
    nameSurname: 'N',
    iban: null,
    idNo: '',
    code: 'NTRF',
    references: said.reference === null ? {} : { bankReference: said.reference },
  }));

type Closing = 'right' | 'wrong' | 'no opening' | 'no closing' | 'none' | 'fault';
const statement = fc.record({
  of: fc.constantFrom('', 'EUR', 'USD'),
  account: fc.constantFrom('A', 'B'),
  rows: fc.array(fc.record({ row, settled: fc.boolean() }), { maxLength: 12 }),
  closing: fc.constantFrom<Closing>('right', 'right', 'right', 'wrong', 'no opening', 'no closing', 'none', 'fault'),
  span: fc.tuple(day, day).map((ends) => ends.sort()),
});
type Given = typeof statement extends fc.Arbitrary<infer Value> ? Value : never;

function closingOf({ of, account, rows, closing, span }: Given): StatementPart {
  if (closing === 'fault') return { kind: 'fault', fault: new StatementFault('broken', 'line 1') };
  const [first = '', last = ''] = span;
  const net = rows.reduce((sum, { row: one }) => add(sum, one.incoming ? one.amount : negate(one.amount)), '0');
  const end = closing === 'wrong' ? add(net, '1') : net;
  const hasOpening = closing !== 'no opening' && closing !== 'none';
  const hasClosing = closing !== 'no closing' && closing !== 'none';
  const stated: Omit<Statement, 'rows'> = {
    identity: 'S',
    format: 'MT940',
    account: {
      key: `${account}/EUR`,
      iban: null,
      accountNo: account,
      currency: 'EUR',
      accountName: null,
      accountType: null,
      branchId: null,
      branchName: null,
    },
    opening: hasOpening ? { amount: '10', day: first } : null,
    closing: hasClosing ? { amount: hasOpening ? add('10', end) : end, day: last } : null,
    available: null,
    place: 'line 9',
    notes: [{ code: 'STATEMENT_READ_LENIENTLY', message: 'm', place: null }],
  };
  return { kind: 'statement', of, statement: stated };
}

/** Rows of consecutive statements alternate if they belong to different ones. */
function partsOf(given: readonly Given[]): StatementPart[] {
  const parts: StatementPart[] = [];
  for (let index = 0; index < given.length; index += 2) {
    const pair = given.slice(index, index + 2);
    const [one, other] = pair;
    const alternate = one !== undefined && other !== undefined && one.of !== other.of;
    const rowsOf = ({ rows, of }: Given): StatementPart[] =>
      rows.map(({ row: each, settled }) => ({ kind: 'row', row: each, of, ...(settled ? {} : { settled: false }) }));
    if (!alternate) parts.push(...pair.flatMap((each) => [...rowsOf(each), closingOf(each)]));
    else {
      const [a, b] = [rowsOf(one), rowsOf(other)];
      for (let at = 0; at < Math.max(a.length, b.length); at += 1)
        parts.push(...a.slice(at, at + 1), ...b.slice(at, at + 1));
      parts.push(closingOf(one), closingOf(other));
    }
  }
  return parts;
}

async function* stream(parts: readonly StatementPart[]): AsyncGenerator<StatementPart> {
  yield* parts;
}

type Shown = Omit<FiledStatement, 'rows'> & { readonly rows: readonly BookedRow[] };

async function shown(content: FileContent, summaries: readonly ClosingSummary[]): Promise<Shown[]> {
  const keys = [...new Set(summaries.map(({ account }) => account.key))];
  const found = (await Promise.all(keys.map((key) => content.statementsOf(key)))).flat();
  return Promise.all(
    found.map(async ({ rows, index, accountKey, format, notes, stated, runs }) => {
      const count = runs.reduce((sum, run) => sum + run.count, 0);
      return { index, accountKey, format, notes, stated, runs, rows: await rows.slice(0, count) };
    }),
  );
}

async function spooled(parts: readonly StatementPart[], settings: { balances: 'strict' | 'note' }) {
  files += 1;
  const spoolPath = join(folder, `${files}.sqlite`);
  const summaries: ClosingSummary[] = [];
  const days: unknown[] = [];
  const file = { name: 'a.sta' };
  const filing = await spoolParts(stream(parts), {
    file,
    settings,
    spoolPath,
    mostBytes: 1e9,
    send(part) {
      summaries.push(...part.summaries);
      days.push(...part.days);
    },
  });
  const content = openSpooledFile(spoolPath);
  const statements = await shown(content, summaries);
  content.close();
  return { summaries, days, statements, rows: filing.rows, faults: filing.faults };
}

describe('a spool', () => {
  it('holds the same for any file as memory would', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(statement, { maxLength: 6 }),
        fc.constantFrom('strict' as const, 'note' as const),
        async (given, balances) => {
          const parts = partsOf(given);
          const { outline, content } = await readInMemory(stream(parts), 'a.sta', { balances }, null);
          const { summaries, days, rows, faults } = outline;
          const statements = await shown(content, summaries);
          expect(await spooled(parts, { balances })).toEqual({ summaries, days, statements, rows, faults });
          if (balances === 'strict') return;
          // And both hold what the reader yields, booked at once.
          const collected = await collectStatements(stream(parts));
          expect(
            statements
              .toSorted((a, b) => a.index - b.index)
              .map((one) => one.rows.map(({ nth, alike, ...each }) => each)),
          ).toEqual(collected.statements.map((one) => bookRows(one).rows.map(({ nth, alike, ...each }) => each)));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('counts the kinds of a day on disk if there are many', async () => {
    const rows = Array.from({ length: 25_000 }, (_, index) => index).flatMap((index) =>
      Array.from({ length: index % 5_000 === 0 ? 3 : 1 }, () => index),
    );
    const parts: StatementPart[] = rows.map((index) => ({
      kind: 'row',
      row: {
        day: '2025-03-01',
        transactionDate: '2025-03-01T00:00:00.000Z',
        amount: String(index + 1),
        incoming: true,
        description: null,
        reference: null,
        findAI: false,
        formerDay: null,
        nameSurname: null,
        iban: null,
        idNo: '',
        code: null,
        references: {},
      },
    }));
    parts.push(closingOf({ of: '', account: 'A', rows: [], closing: 'none', span: ['', ''] }));
    const { outline, content } = await readInMemory(stream(parts), 'a.sta', { balances: 'strict' }, null);
    const { summaries, days, rows: count, faults } = outline;
    const statements = await shown(content, summaries);
    expect(await spooled(parts, { balances: 'strict' })).toEqual({ summaries, days, statements, rows: count, faults });
    expect(statements[0]?.rows.filter(({ alike }) => alike === 3)).toHaveLength(15);
  });

  it('does not leave the garbage of its pages to grow', async () => {
    const parts = Array.from({ length: 5 }, (_, index) => index).flatMap((index) => {
      const rows = fc.sample(row, { numRuns: 3, seed: index }).map((each) => ({ row: each, settled: true }));
      return partsOf([{ of: '', account: 'A', rows, closing: 'right', span: ['2025-03-01', '2025-03-31'] }]);
    });
    expect(await forcedCollections(() => spooled(parts, { balances: 'strict' }))).toBeGreaterThan(0);
  });
});
