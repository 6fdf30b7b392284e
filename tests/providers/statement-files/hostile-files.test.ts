import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBai2 } from '../../../src/providers/statement-files/bai2.ts';
import { readCamt052 } from '../../../src/providers/statement-files/camt053.ts';
import { readCamt054 } from '../../../src/providers/statement-files/camt054.ts';
import { csvReader } from '../../../src/providers/statement-files/csv.ts';
import { csvMappingOf } from '../../../src/providers/statement-files/csv-mapping.ts';
import { readMt942 } from '../../../src/providers/statement-files/mt942.ts';
import { readOfx } from '../../../src/providers/statement-files/ofx.ts';
import { readStatements } from '../../../src/providers/statement-files/read-parts.ts';
import { type Reading, StatementFault } from '../../../src/providers/statement-files/statement.ts';
import {
  collectStatements,
  type StatementPart,
  type StatementReader,
} from '../../../src/providers/statement-files/statement-parts.ts';
import { camtNotification, camtReport, mt942Report } from '../../support/report-texts.ts';
import { present } from '../sessions.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/statements');
const columns = { account: { value: 'A' }, currency: { value: 'EUR' }, date: 'Buchungstag', amount: 'Betrag (EUR)' };
const mapping = { delimiter: ';', header: 3, columns, dateFormat: 'dd.MM.yyyy', decimal: ',' };
const csv = present(csvMappingOf(mapping) ?? undefined);

const BATCH = { day: '2025-03-04', change: -5, text: 'x', reference: 'R' };
const report = { madeAt: '2025-03-04T12:00:00', booked: [BATCH], pending: [BATCH], balances: { OPBD: 10, ITBD: 5 } };

const read = (fixture: string): string => readFileSync(join(FIXTURES, fixture), 'utf8');
const READERS: readonly [string, StatementReader, string][] = [
  ['CSV', csvReader(csv), read('csv/german.csv')],
  ['OFX 1', readOfx, read('ofx/bank.v1.ofx')],
  ['OFX 2', readOfx, read('ofx/card.v2.ofx')],
  ['BAI2', readBai2, read('bai2/two-accounts.bai')],
  ['camt.052', readCamt052, camtReport(report)],
  ['MT942', readMt942, mt942Report(report)],
  ['camt.054', readCamt054, camtNotification([{ ...BATCH, change: -10, payments: [BATCH, BATCH] }])],
];

async function* pieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

/** A fault that ends the reading among the others. @throws anything else that the reader throws */
async function attempt(reader: StatementReader, text: AsyncIterable<string>): Promise<Reading> {
  const faults: StatementFault[] = [];
  async function* untilFault(): AsyncGenerator<StatementPart> {
    try {
      yield* reader(text);
    } catch (error) {
      if (!(error instanceof StatementFault)) throw error;
      faults.push(error);
    }
  }
  const found = await collectStatements(untilFault());
  return { ...found, faults: [...found.faults, ...faults] };
}

/** Characters that have a meaning in some format, and some that have none in any. */
const spoilt = fc.oneof(
  fc.constantFrom(
    '<',
    '>',
    '</',
    '"',
    ';',
    ',',
    '/',
    '\n',
    '\r',
    '88,',
    '-',
    ':61:',
    ':',
    '&#0;',
    ']]>',
    '<![CDATA[',
    '<!--',
  ),
  fc.constantFrom('\u0000', '\uFEFF', '\u001A', '\uD83D', '9'.repeat(40), '<A>'.repeat(300), 'x'.repeat(2_000)),
  fc.string({ maxLength: 20 }),
);
const cut = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(40), put: spoilt });

describe('a file that is damaged in any way', () => {
  it.each(READERS)('is read or refused, and crashes no reader: %s', async (format, reader, whole) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cut, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 500 }),
        async (cuts, length) => {
          const text = cuts.reduce((damaged, { at, length: taken, put }) => {
            const from = Math.floor(at * damaged.length);
            return damaged.slice(0, from) + put + damaged.slice(from + taken);
          }, whole);
          const found = await attempt(reader, pieces(text, length));
          // Malformed XML is reported without what its piece held before the fault.
          if (!format.startsWith('camt')) expect(await attempt(reader, pieces(text, 100_000))).toEqual(found);
          for (const fault of found.faults) expect(fault).toBeInstanceOf(StatementFault);
          for (const { rows } of found.statements)
            for (const { amount } of rows) expect(amount).toMatch(/^\d{1,18}(\.\d{1,5})?$/);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('with arbitrary bytes is read or refused with a code', async () => {
    const begins = fc.constantFrom(
      '',
      'OFXHEADER:100\n<OFX>',
      '01,a,b,250101,',
      ':20:',
      '<?xml version="1.0"?><Document>',
      'Buchungstag;',
    );
    await fc.assert(
      fc.asyncProperty(begins, fc.uint8Array({ maxLength: 300 }), async (begin, bytes) => {
        try {
          await readStatements(Buffer.concat([Buffer.from(begin), bytes]), { csv });
        } catch (error) {
          expect(error).toBeInstanceOf(StatementFault);
        }
      }),
      { numRuns: 300 },
    );
  });
});
