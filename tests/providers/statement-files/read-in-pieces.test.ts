import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCamt053 } from '../../../src/providers/statement-files/camt053.ts';
import { openCharsetEvidence, openDecoder } from '../../../src/providers/statement-files/code-pages.ts';
import { readMt940 } from '../../../src/providers/statement-files/mt940.ts';
import type { Reading } from '../../../src/providers/statement-files/statement.ts';
import { collectStatements, type StatementReader } from '../../../src/providers/statement-files/statement-parts.ts';
import { camtStatement, mt940Statement } from '../../support/statement-texts.ts';

/** The text cut at these places. */
function piecesOf(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((to, index) => text.slice(places[index], to));
}

async function read(reader: StatementReader, pieces: readonly string[]): Promise<Reading | string> {
  async function* text(): AsyncGenerator<string> {
    yield* pieces;
  }
  return collectStatements(reader(text())).catch((error: unknown) => String(error));
}

const ROWS = [
  { day: '2025-03-03', change: 10, text: 'Rent ÄÖ €' },
  { day: '2025-03-04', change: -3, text: 'Fee', reference: 'R1', name: 'ACME' },
];
const mt940 = mt940Statement({ opening: 100, rows: ROWS }) + mt940Statement({ opening: 7, rows: ROWS, account: 'X' });
const camt = camtStatement({ opening: 100, rows: ROWS });

const TEXTS: readonly [string, StatementReader, string][] = [
  ['MT940', readMt940, mt940],
  ['MT940 with two line ends', readMt940, mt940.replaceAll('\n', '\r\n')],
  ['MT940 with lone carriage returns', readMt940, mt940.replaceAll('\n', '\r')],
  ['MT940 without a line end after it', readMt940, mt940.trimEnd()],
  ['MT940 that breaks off', readMt940, mt940.slice(0, -40)],
  ['camt.053', readCamt053, camt],
  [
    'camt.053 with comments, CDATA and character numbers',
    readCamt053,
    camt.replace('Rent', '<!-- <Ntry> -->R&#101;nt <![CDATA[<&>]]>'),
  ],
  ['camt.053 that breaks off', readCamt053, camt.slice(0, -60)],
];

describe('a reader yields the same whatever pieces the text arrives in', () => {
  it.each(TEXTS)('%s', async (_what, reader, text) => {
    const whole = await read(reader, [text]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (cuts) => {
        expect(await read(reader, piecesOf(text, cuts))).toEqual(whole);
      }),
      { numRuns: 100 },
    );
    expect(await read(reader, [...text])).toEqual(whole);
  });
});

describe('bytes that arrive in pieces', () => {
  const bytes = Buffer.from(mt940.repeat(3));

  it.each([1, 2, 3, 7, 64])('of %i are decoded and detected the same as a whole', (length) => {
    const evidence = openCharsetEvidence();
    const decode = openDecoder('utf-8', true);
    let text = '';
    for (let from = 0; from < bytes.length; from += length) {
      evidence.take(bytes.subarray(from, from + length));
      text += decode(bytes.subarray(from, from + length));
    }
    expect(text + decode(null)).toBe(bytes.toString());
    expect(evidence.charset()).toBe('utf-8');
  });
});

describe('a reader keeps no more than a bank writes', () => {
  it('refuses a line of megabytes', async () => {
    const long = async function* () {
      yield ':20:R\n:86:';
      for (let index = 0; index < 20; index += 1) yield 'x'.repeat(100_000);
    };
    await expect(collectStatements(readMt940(long()))).rejects.toMatchObject({
      code: 'STATEMENT_FILE_TOO_LARGE',
      place: 'line 2',
    });
  });

  it('refuses movements that no opening balance precedes', async () => {
    const [head = '', rest = ''] = mt940Statement({ opening: 0, rows: [] }).split(':60F:');
    const movement = ':61:2503030303C1,NTRFNONREF\n:86:x\n';
    const file = `${head}${movement.repeat(200)}:60F:${rest}`;
    const { statements, faults } = (await read(readMt940, [file])) as Reading;
    expect(statements).toEqual([]);
    expect(faults).toMatchObject([{ message: 'the statement has no opening balance (:60F:)' }]);
  });

  it('accepts a few movements before the opening balance', async () => {
    const [head = '', rest = ''] = mt940Statement({ opening: 0, rows: [] }).split(':60F:');
    const file = `${head}:61:2503030303C1,NTRFNONREF\n:86:x\n:60F:${rest}`;
    expect(await read(readMt940, [file])).toMatchObject({ statements: [{ rows: [{ amount: '1' }] }], faults: [] });
  });
});

describe('what was read before malformed XML', () => {
  const statement = /<Stmt>.*<\/Stmt>/.exec(camt)?.[0] ?? '';
  const fileWith = (broken: string) => camt.replace(statement, `${statement}${broken}${statement}`);

  it.each([
    ['an ampersand that is not escaped', statement.replace('<Ustrd>', '<Ustrd>A & B ')],
    ['an element that is not closed', statement.replace('<Ustrd>', '<Ustrd><x>')],
  ])('is kept, and so are the statements after an entry with %s', async (_what, broken) => {
    const { statements, faults } = (await read(readCamt053, [fileWith(broken)])) as Reading;
    expect(statements.map(({ place }) => place)).toEqual(['Stmt[1]', 'Stmt[3]']);
    expect(faults).toMatchObject([
      { message: expect.stringContaining('not well-formed XML'), place: 'Stmt[2]/Ntry[1]' },
    ]);
  });

  it('leaves an ampersand within CDATA as it is', async () => {
    const file = camt.replace('Rent ÄÖ €', '<![CDATA[A & B &amp; &c]]>');
    expect(await read(readCamt053, [file])).toMatchObject({
      statements: [{ rows: [{ description: 'A & B &amp; &c' }, {}] }],
    });
  });
});
