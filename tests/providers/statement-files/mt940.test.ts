import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatementFault } from '../../../src/providers/statement-files/statement.ts';
import { present } from '../sessions.ts';
import { bookRows, soundStatements } from './reading.ts';

const HEAD = ':20:REF\r\n:25:NL71RABO0123456789\r\n:28C:7/1\r\n:60F:C250301EUR100,00\r\n';
const TAIL = ':62F:C250303EUR110,\r\n-\r\n';
const file = (movements: string) => `${HEAD}${movements}${TAIL}`;
const statementsOf = soundStatements;
const rowsOf = async (movements: string) => bookRows(present((await statementsOf(file(movements)))[0])).rows;

describe(':61:', () => {
  it.each([
    ['2503020302C10,NTRFNONREF', { amount: '10', incoming: true, code: 'NTRF' }],
    ['250302D10,5NMSCX', { amount: '10.5', incoming: false, code: 'NMSC' }],
    ['2503020302CR0,12345F011X//BANK', { amount: '0.12345', incoming: true, code: 'F011' }],
    ['2503020302RC000000010,00NTRFX', { amount: '10', incoming: false, code: 'NTRF' }],
    ['2503020302RDR10,00NTRFX', { amount: '10', incoming: true, code: 'NTRF' }],
    ['250302C10', { amount: '10', incoming: true, code: null }],
  ])('reads %s', async (line, expected) => {
    expect((await rowsOf(`:61:${line}\r\n`))[0]).toMatchObject(expected);
  });

  it.each([
    ['2503020302', '2025-03-02'],
    ['250302', '2025-03-02'],
    ['2501021230', '2024-12-30'],
    ['2412300102', '2025-01-02'],
    ['2402280229', '2024-02-29'],
    ['9912311231', '1999-12-31'],
  ])('dates %s by its entry date', async (dates, day) => {
    expect((await rowsOf(`:61:${dates}C1,NTRFX\r\n`))[0]?.transactionDate).toBe(`${day}T00:00:00.000Z`);
  });

  it.each([
    ['a month 13', ':61:251302C1,NTRFX'],
    ['30 February', ':61:250230C1,NTRFX'],
    ['another mark', ':61:250302X1,NTRFX'],
    ['no amount', ':61:250302CNTRFX'],
    ['a point and a comma', ':61:250302C1.000,5NTRFX'],
    ['six decimals', ':61:250302C1,123456NTRFX'],
    ['19 digits', `:61:250302C${'9'.repeat(19)},NTRFX`],
    ['nothing', ':61:'],
  ])('refuses the statement for %s, naming the line', async (_what, line) => {
    await expect(statementsOf(file(`:61:250302C1,NTRFX\r\n${line}\r\n`))).rejects.toMatchObject({
      code: 'STATEMENT_FILE_INVALID',
      place: 'line 6',
    });
  });
});

describe(':86:', () => {
  const detailsOf = async (text: string) => {
    const [row] = await rowsOf(`:61:250302C1,NTRFNONREF\r\n${text}`);
    const { description, nameSurname, iban, findAI } = present(row);
    return { description, nameSurname, iban, findAI };
  };

  it('reads numbered subfields after any separator', async () => {
    const text = '166?00GUTSCHRIFT?20SVWZ+Rechnung 42?30BIC?31DE14508800500194785000?32Ada?33Lovelace';
    const expected = {
      description: 'GUTSCHRIFT SVWZ+Rechnung 42',
      nameSurname: 'Ada Lovelace',
      iban: 'DE14508800500194785000',
      findAI: false,
    };
    expect(await detailsOf(`:86:${text}\r\n`)).toEqual(expected);
    expect(await detailsOf(`:86:${text.replaceAll('?', '>')}\r\n`)).toEqual(expected);
  });

  it('reads names between slashes, and the counterparty as one piece', async () => {
    expect(
      await detailsOf(':86:/TRTP/SEPA/IBAN/NL70ABNA0987654321/BIC/ABNANL2A/NAME/A. Bee/REMI/Invoice 7/EREF/X\r\n'),
    ).toEqual({ description: 'Invoice 7', nameSurname: 'A. Bee', iban: 'NL70ABNA0987654321', findAI: false });
    expect(
      await detailsOf(':86:/CNTP/NL70ABNA0987654321/ABNANL2A/C. Dee/Paris/REMI/USTD//Invoice 8/\r\n'),
    ).toMatchObject({
      description: 'Invoice 8',
      nameSurname: 'C. Dee',
      iban: 'NL70ABNA0987654321',
    });
  });

  it('guesses an account from free text only if it contains exactly one valid one', async () => {
    const [one, two] = ['DE89370400440532013000', 'GB29NWBK60161331926819'];
    expect(await detailsOf(`:86:from ${one} thanks\r\n`)).toEqual({
      description: `from ${one} thanks`,
      nameSurname: null,
      iban: one,
      findAI: true,
    });
    expect(await detailsOf(`:86:${one} or ${two}\r\n`)).toMatchObject({ iban: null, findAI: false });
    expect(await detailsOf(':86:NL65INGB0000000000\r\n')).toMatchObject({ iban: null, findAI: false });
  });

  it('never mistakes the account itself for the counterparty', async () => {
    expect(await detailsOf(':86:/IBAN/NL71RABO0123456789/NAME/Us\r\n')).toMatchObject({ iban: null });
  });

  it('continues on the next line with a space unless the line was full', async () => {
    const full = 'x'.repeat(65);
    expect((await detailsOf(`:86:${full}\r\nyes\r\n`)).description).toBe(`${full}yes`);
    expect((await detailsOf(':86:short\r\nyes\r\n')).description).toBe('short yes');
  });

  it('is replaced by the reference if it is empty, and ignored after the closing balance', async () => {
    const [row] = await rowsOf(':61:250302C1,NTRFMY REF//B\r\n:86:\r\n');
    expect(row?.description).toBe('MY REF');
    const [statement] = await statementsOf(file(':61:250302C1,NTRFX\r\n').replace('\r\n-', '\r\n:86:summary\r\n-'));
    expect(statement?.rows[0]?.description).toBe('X');
  });
});

describe('MT940 files', () => {
  const body = ':61:250302C10,NTRFNONREF\r\n:86:hello\r\n';

  it.each<[string, string]>([
    ['SWIFT blocks around it', `{1:F01BANK}{2:O940}{4:\r\n${file(body).replace('-\r\n', '-}{5:{CHK:1}}\r\n')}`],
    ['a text block that begins within a line', `{1:F01BANK}{4:${file(body)}`],
    ['bare line feeds', file(body).replaceAll('\r\n', '\n')],
    ['bare carriage returns', file(body).replaceAll('\r\n', '\r')],
    ['no end', file(body).slice(0, -5)],
    ['bank headers and blank lines', `BANKNL2A\r\n940\r\n\r\n${file(body).replace(':61:', '\r\n:61:')}\r\n\r\n`],
    ['the older :28:', file(body).replace(':28C:', ':28:')],
    ['no :28C: at all', file(body).replace(':28C:7/1\r\n', '')],
    ['a byte order mark', `\ufeff${file(body)}`],
  ])('reads %s', async (_what, text) => {
    const statements = await statementsOf(text);
    expect(statements.map(({ rows }) => rows.map(({ description }) => description))).toEqual([['hello']]);
  });

  it('reads text that is not UTF-8 as Windows-1252', async () => {
    const [statement] = await statementsOf(Buffer.from(file(body.replace('hello', 'Büro')), 'latin1'));
    expect(statement?.rows[0]?.description).toBe('Büro');
  });

  it('reads several statements, accounts and currencies, and the available balance', async () => {
    const second = file('').replace('NL71RABO0123456789', '1234.56 USD').replaceAll('EUR', 'USD');
    const statements = await statementsOf(file(body).replace('-\r\n', ':64:D250303EUR5,\r\n-\r\n') + second);
    expect(
      statements.map(({ account, available }) => [account.key, account.iban, account.accountNo, available]),
    ).toEqual([
      ['NL71RABO0123456789/EUR', 'NL71RABO0123456789', null, '-5'],
      ['1234.56/USD', null, '1234.56', null],
    ]);
  });

  it('names the account the same with and without the currency, the bank or spaces', async () => {
    const keys = await Promise.all(
      ['NL71RABO0123456789', 'NL71 RABO 0123 4567 89', 'NL71RABO0123456789EUR', 'RABONL2U/NL71RABO0123456789'].map(
        async (written) => (await statementsOf(file(body).replace('NL71RABO0123456789', written)))[0]?.account.key,
      ),
    );
    expect(new Set(keys)).toEqual(new Set(['NL71RABO0123456789/EUR']));
  });

  it.each<[string, string, string]>([
    ['no :25:', file(body).replace(/:25:.*\r\n/, ''), 'the statement has no account (:25:)'],
    ['no opening balance', file(body).replace(/:60F:.*\r\n/, ''), 'the statement has no opening balance (:60F:)'],
    ['no closing balance', file(body).replace(/:62F:.*\r\n/, ''), 'the statement has no closing balance (:62F:)'],
    ['no :20:', file(body).slice(9), 'the statement has no reference (:20:)'],
    ['a good statement before half of another one', file(body) + HEAD, 'the statement has no closing balance (:62F:)'],
    [
      'two currencies',
      file(body).replace('250303EUR', '250303USD'),
      'the statement opens and closes in different currencies',
    ],
    ['a broken balance', file(body).replace('C250301EUR', 'X250301EUR'), 'a balance (:60F:) cannot be read'],
    ['an empty account', file(body).replace('NL71RABO0123456789', ''), 'the account (:25:) cannot be read'],
  ])('refuses the whole file for %s', async (_what, text, message) => {
    await expect(statementsOf(text)).rejects.toMatchObject({ code: 'STATEMENT_FILE_INVALID', message });
  });

  it.each([
    ['lines', `:86:${'\nx'.repeat(1_000_000)}`],
    ['fields', ':86:x\n'.repeat(200_000)],
    ['slashes', `:86:/NAME/${'/'.repeat(1_000_000)}x`],
    ['spaces', `:86:${' '.repeat(1_000_000)}x`],
  ])('reads a movement with a million %s, cutting the text', async (_what, details) => {
    const [row] = await rowsOf(`:61:250302C1,NTRFX\r\n${details}\r\n`);
    expect(row?.description?.length ?? 0).toBeLessThanOrEqual(8_000);
  });

  it('reports anything else as an unknown format', async () => {
    await expect(statementsOf('date;amount\n2025-03-02;10\n')).rejects.toMatchObject({
      code: 'STATEMENT_FORMAT_UNKNOWN',
    });
    await expect(statementsOf(Buffer.from('%PDF-1.7'))).rejects.toMatchObject({
      code: 'STATEMENT_FORMAT_UNKNOWN',
    });
  });

  it('reads any damaged file and any bytes as statements or as a fault', async () => {
    const good = file(`${body}${body}`);
    const damaged = fc
      .tuple(fc.nat({ max: good.length }), fc.nat({ max: 20 }), fc.string({ maxLength: 6 }))
      .map(([from, cut, put]) => Buffer.from(good.slice(0, from) + put + good.slice(from + cut)));
    const bytes = fc.uint8Array({ maxLength: 200 }).map((tail) => Buffer.concat([Buffer.from(':20:X\n:61:'), tail]));
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, bytes), async (given) => {
        const outcome = await statementsOf(given).catch((error: unknown) => error);
        expect(Array.isArray(outcome) || outcome instanceof StatementFault).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
