import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatementFault } from '../../../src/providers/statement-files/statement.ts';
import { present } from '../sessions.ts';
import { bookRows, soundStatements } from './reading.ts';

const BALANCES = `${balance('OPBD', '100.00', '2025-03-01')}${balance('CLBD', '100.00', '2025-03-03')}`;

function balance(type: string, amount: string, day: string, currency = 'EUR'): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;
}

function entry(
  inner = '',
  over: { sign?: string; status?: string; amount?: string; date?: string; currency?: string } = {},
) {
  const { sign = 'CRDT', status = 'BOOK', amount = '10.00', date = '<Dt>2025-03-02</Dt>', currency = 'EUR' } = over;
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts>${status}</Sts><BookgDt>${date}</BookgDt>${inner}</Ntry>`;
}

function message(
  entries: string,
  balances = BALANCES,
  account = '<Id><IBAN>DE14508800500194785000</IBAN></Id><Ccy>EUR</Ccy>',
) {
  return `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>M</MsgId></GrpHdr><Stmt><Id>S1</Id><Acct>${account}</Acct>${balances}${entries}</Stmt></BkToCstmrStmt></Document>`;
}

const statementsOf = soundStatements;
const rowsOf = async (xml: string) => bookRows(present((await statementsOf(xml))[0])).rows;
const details = (...transactions: string[]) =>
  `<NtryDtls>${transactions.map((inner) => `<TxDtls>${inner}</TxDtls>`).join('')}</NtryDtls>`;

describe('camt.053 entries', () => {
  it('reads only what is booked, in the form of version 2 and of version 8', async () => {
    const rows = await rowsOf(
      message(
        entry('', { amount: '1' }) +
          entry('', { status: 'PDNG', amount: '2' }) +
          entry('', { status: '<Cd>BOOK</Cd>', amount: '3' }) +
          entry('', { status: '<Cd>INFO</Cd>', amount: '4' }),
      ),
    );
    expect(rows.map(({ amount }) => amount)).toEqual(['1', '3']);
  });

  it('reads the direction from the entry, also for a reversal, whose parties are those of the reversed payment', async () => {
    const parties = '<RltdPties><Dbtr><Nm>Us</Nm></Dbtr><Cdtr><Nm>Supplier</Nm></Cdtr></RltdPties>';
    const rows = await rowsOf(
      message(
        entry(details(parties), { sign: 'DBIT' }) +
          entry(`<RvslInd>true</RvslInd>${details(parties)}`, { sign: 'CRDT' }),
      ),
    );
    expect(rows.map(({ incoming, nameSurname, balance: after }) => [incoming, nameSurname, after])).toEqual([
      [false, 'Supplier', '90'],
      [true, 'Supplier', '100'],
    ]);
  });

  it('reads the parties of version 8, their number and account', async () => {
    const party =
      '<RltdPties><Dbtr><Pty><Nm>Ada &amp; Söhne ' +
      '&#x41;&#66;</Nm><Id><OrgId><Othr><Id>C-1</Id><SchmeNm><Cd>CUST</Cd></SchmeNm></Othr><Othr><Id>1234567890</Id><SchmeNm><Cd>TXID</Cd></SchmeNm></Othr></OrgId></Id></Pty></Dbtr><DbtrAcct><Id><IBAN>NL56 ' +
      'AGDH 9619 0084 21</IBAN></Id></DbtrAcct></RltdPties>';
    expect(await rowsOf(message(entry(details(party))))).toMatchObject([
      { nameSurname: 'Ada & Söhne AB', iban: 'NL56AGDH9619008421', idNo: '1234567890', findAI: false },
    ]);
  });

  it('makes one row of a batch: texts joined, no counterparty, no reference of a single payment', async () => {
    const part = (name: string, text: string) =>
      `<Refs><AcctSvcrRef>R-${name}</AcctSvcrRef></Refs><RltdPties><Dbtr><Nm>${name}</Nm></Dbtr></RltdPties><RmtInf><Ustrd>${text}</Ustrd><Ustrd>more</Ustrd></RmtInf>`;
    const batch = details(part('Ann', 'one'), part('Bob', 'two'));
    expect(await rowsOf(message(entry(`${batch}<AddtlNtryInf>SAMMLER</AddtlNtryInf>`)))).toMatchObject([
      { description: 'one more | two more | SAMMLER', nameSurname: null, reference: null },
    ]);
  });

  it('cuts the text of a batch of thousands to a length that the log can hold', async () => {
    const part = `<RmtInf><Ustrd>${'x'.repeat(140)}</Ustrd></RmtInf>`;
    const parts = Array.from({ length: 2_000 }, (_, index) => part.replace('x', String(index)));
    const [row] = await rowsOf(message(entry(details(...parts))));
    expect(row?.description?.length).toBe(8_000);
  });

  it.each([
    ['<BkTxCd><Prtry><Cd>544</Cd></Prtry></BkTxCd>', '544'],
    [
      '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>',
      'PMNT-RCDT-ESCT',
    ],
    [details('<BkTxCd><Domn><Cd>PMNT</Cd></Domn></BkTxCd>'), 'PMNT'],
    ['', null],
  ])('reads the code of %s', async (inner, code) => {
    expect((await rowsOf(message(entry(inner))))[0]?.code).toBe(code);
  });

  it.each([
    ['<Dt>2025-03-02</Dt>', '2025-03-02T00:00:00.000Z'],
    ['<Dt>2025-03-02+03:00</Dt>', '2025-03-02T00:00:00.000Z'],
    ['<DtTm>2025-03-02T00:00:00+03:00</DtTm>', '2025-03-02T00:00:00.000Z'],
    ['<DtTm>2025-03-02T10:30:00+03:00</DtTm>', '2025-03-02T07:30:00.000Z'],
    ['<DtTm>2025-03-02T10:30:00.5</DtTm>', '2025-03-02T10:30:00.500Z'],
    ['', '2025-03-03T00:00:00.000Z'],
  ])('dates %s', async (date, expected) => {
    expect((await rowsOf(message(entry('', { date }))))[0]?.transactionDate).toBe(expected);
  });

  it('keeps the reference of an entry, even if several share it, but no filler', async () => {
    const referenced = (reference: string) => entry(`<AcctSvcrRef>${reference}</AcctSvcrRef>`);
    const given = ['A', 'B', 'B', 'NOTPROVIDED', '000000'];
    const rows = await rowsOf(message(given.map(referenced).join('')));
    expect(rows.map(({ reference }) => reference)).toEqual(['A', 'B', 'B', null, null]);
  });

  it('orders rows by their days and runs the balance in that order', async () => {
    const rows = await rowsOf(
      message(
        entry('', { date: '<Dt>2025-03-03</Dt>', amount: '1' }) +
          entry('', { date: '<Dt>2025-03-02</Dt>', amount: '2' }) +
          entry('', { date: '<Dt>2025-03-02</Dt>', amount: '4', sign: 'DBIT' }),
      ),
    );
    expect(rows.map((row) => [row.amount, row.balance])).toEqual([
      ['2', '102'],
      ['4', '98'],
      ['1', '99'],
    ]);
  });
});

describe('camt.053 balances and accounts', () => {
  it.each<[string, string, [string | undefined, string | undefined]]>([
    ['a previous closing', balance('PRCD', '5', '2025-03-01') + balance('CLBD', '6', '2025-03-02'), ['5', '6']],
    [
      'interim ones of a page in the middle',
      balance('ITBD', '5', '2025-03-01') + balance('ITBD', '6', '2025-03-02'),
      ['5', '6'],
    ],
    ['the first page', balance('OPBD', '4', '2025-03-01') + balance('ITBD', '5', '2025-03-02'), ['4', '5']],
    ['none', '', [undefined, undefined]],
  ])('takes %s', async (_what, balances, expected) => {
    const [statement] = await statementsOf(message(entry(), balances));
    expect([statement?.opening?.amount, statement?.closing?.amount]).toEqual(expected);
  });

  it('runs the balance back from the closing one, and states none when there is none', async () => {
    const two = entry('', { amount: '1' }) + entry('', { amount: '2' });
    expect((await rowsOf(message(two, balance('CLBD', '10', '2025-03-02')))).map((row) => row.balance)).toEqual([
      '8',
      '10',
    ]);
    expect((await rowsOf(message(two, ''))).map((row) => row.balance)).toEqual([null, null]);
  });

  it('makes an account for each currency in which a statement has rows, or an opening and a closing balance', async () => {
    const balances =
      balance('OPBD', '1', '2025-03-01', 'EUR') +
      balance('OPBD', '2', '2025-03-01', 'USD') +
      balance('CLBD', '2', '2025-03-02', 'USD') +
      balance('CLBD', '9', '2025-03-02', 'SEK');
    const statements = await statementsOf(message(entry() + entry('', { currency: 'GBP' }), balances));
    expect(statements.map(({ account, rows }) => [account.key, rows.length])).toEqual([
      ['DE14508800500194785000/EUR', 1],
      ['DE14508800500194785000/GBP', 1],
      ['DE14508800500194785000/USD', 0],
    ]);
  });
});

describe('camt.053 files', () => {
  const text = entry('<AddtlNtryInf>Büro €</AddtlNtryInf>');
  const declared = (encoding: string) => message(text).replace('UTF-8', encoding);

  it.each<[string, Uint8Array]>([
    ['UTF-8 with a mark', Buffer.from(`\ufeff${message(text)}`)],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le')],
    ['UTF-16 in the other byte order', Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(declared('UTF-16'), 'utf16le')],
    ['Windows-1252', Buffer.from(declared('windows-1252').replace('€', '\u0080'), 'latin1')],
    [
      'another namespace prefix',
      Buffer.from(
        message(text)
          .replace(/<(\/?)(?=[A-Z])/g, '<$1camt:')
          .replace('xmlns=', 'xmlns:camt='),
      ),
    ],
    ['an empty line before the declaration', Buffer.from(`\r\n\n${message(text)}`)],
    ['CDATA', Buffer.from(message(text.replace('Büro €', '<![CDATA[Büro €]]>')))],
    ['character numbers', Buffer.from(message(text.replace('Büro €', 'B&#252;ro &#x20AC;')))],
    ['a comment with an entry in it', Buffer.from(message(`<!-- ${entry()} -->${text}`))],
  ])('reads %s', async (_what, bytes) => {
    const [statement] = await statementsOf(bytes);
    expect(statement?.rows.map(({ description }) => description)).toEqual(['Büro €']);
  });

  it('reads ISO-8859-2', async () => {
    const polish = message(entry('<AddtlNtryInf>za\u017c\u00f3\u0142\u0107</AddtlNtryInf>')).replace(
      'UTF-8',
      'iso-8859-2',
    );
    const bytes = Buffer.from(
      polish.replace('\u017c', '\u00bf').replace('\u0142', '\u00b3').replace('\u0107', '\u00e6'),
      'latin1',
    );
    const [statement] = await statementsOf(bytes);
    expect(statement?.rows[0]?.description).toBe('za\u017c\u00f3\u0142\u0107');
  });

  it.each<[string, string, string, string | null]>([
    ['no status', entry().replace(/<Sts>.*<\/Sts>/, ''), 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    ['no direction', entry('', { sign: 'X' }), 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    ['no currency', entry().replace(' Ccy="EUR"', ''), 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    ['an amount below zero', entry('', { amount: '-1' }), 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    ['six decimals', entry('', { amount: '0.000001' }), 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    ['no amount', entry('', { amount: '' }), 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    ['30 February', entry('', { date: '<Dt>2025-02-30</Dt>' }), 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    ['broken XML in an entry', '<Ntry><Amt></Ntry>', 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    ['broken XML outside of one', '<Ntry></Amt></Ntry><Bal>', 'STATEMENT_FILE_INVALID', 'line 1'],
    ['an empty entry', '<Ntry/>', 'STATEMENT_FILE_INVALID', 'Stmt[1]/Ntry[2]'],
    [
      'an entry of megabytes',
      entry(`<AddtlNtryInf>${'x'.repeat(3e6)}</AddtlNtryInf>`),
      'STATEMENT_FILE_TOO_LARGE',
      'Stmt[1]/Ntry[2]',
    ],
  ])('refuses the whole file for %s', async (_what, wrong, code, place) => {
    await expect(statementsOf(message(entry() + wrong))).rejects.toMatchObject({ code, place });
  });

  it.each<[string, string, string]>([
    ['another message', '<Document><CstmrCdtTrfInitn/></Document>', 'STATEMENT_FORMAT_UNKNOWN'],
    ['a web page', '<!doctype html><html></html>', 'STATEMENT_FORMAT_UNKNOWN'],
    [
      'an outside entity',
      message(entry()).replace('<Document', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><Document'),
      'STATEMENT_FILE_INVALID',
    ],
    ['an unknown encoding', message(entry()).replace('UTF-8', 'EBCDIC-7'), 'STATEMENT_FILE_INVALID'],
    ['no account', message(entry(), BALANCES, '<Ccy>EUR</Ccy>'), 'STATEMENT_FILE_INVALID'],
    ['a balance without a date', message('', balance('OPBD', '1', '')), 'STATEMENT_FILE_INVALID'],
    ['half a document', message(entry()).slice(0, -20), 'STATEMENT_FILE_INVALID'],
    ['nothing', '', 'STATEMENT_FORMAT_UNKNOWN'],
  ])('refuses %s', async (_what, xml, code) => {
    await expect(statementsOf(xml)).rejects.toMatchObject({ code });
  });

  it('names the line of the file, counted over the entries before it', async () => {
    const lines = message(`\n${entry('\n\n')}\n${entry('\n\n')}\n`).replace('</Stmt>', '</Stmp>');
    await expect(statementsOf(lines)).rejects.toMatchObject({ place: 'line 8' });
  });

  it('refuses bytes that are not of the declared encoding', async () => {
    await expect(statementsOf(Buffer.from(message(text), 'latin1'))).rejects.toMatchObject({
      message: 'the file is not valid utf-8',
    });
  });

  it('does not expand entities, not even a billion of them', async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "x">${'<!ENTITY b "&a;&a;&a;&a;">'.repeat(30)}]>`;
    await expect(statementsOf(message(entry()).replace('<Document', `${bomb}<Document`))).rejects.toMatchObject({
      place: 'line 1',
    });
    const [row] = await rowsOf(message(entry('<AddtlNtryInf>&unknown; &amp;lt;</AddtlNtryInf>')));
    expect(row?.description).toBe('&unknown; &lt;');
  });

  it.each([
    ['depth', (inner: string) => `${'<a>'.repeat(200_000)}${inner}${'</a>'.repeat(200_000)}`],
    ['open tags', (inner: string) => '<a '.repeat(200_000) + inner],
    ['angle brackets', (inner: string) => '<'.repeat(500_000) + inner],
    ['CDATA openings', (inner: string) => '<![CDATA['.repeat(200_000) + inner],
    ['comment openings', (inner: string) => '<!--'.repeat(200_000) + inner],
    ['names of the prototype', (inner: string) => `<__proto__>${inner}</__proto__>`],
    ['elements beside each other', (inner: string) => `${'<a/>'.repeat(600_000)}${'x'.repeat(2_000_000)}${inner}`],
    ['entries', (inner: string) => `${'<Ntry>'.repeat(800_000)}${inner}`],
    ['attributes', (inner: string) => `<a ${'b '.repeat(200_000)}/>${inner}`],
  ])('refuses hostile %s by a fault, in the head and in an entry', async (_what, wrap) => {
    await expect(statementsOf(message(wrap('')))).rejects.toBeInstanceOf(StatementFault);
    await expect(statementsOf(message(entry(wrap(''))))).rejects.toBeInstanceOf(StatementFault);
  });

  it('reads any damaged file as statements or as a fault', async () => {
    const good = message(entry(details('<RmtInf><Ustrd>x</Ustrd></RmtInf>')) + entry());
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: good.length }),
        fc.nat({ max: 30 }),
        fc.string({ maxLength: 5 }),
        async (from, cut, put) => {
          const damaged = good.slice(0, from) + put + good.slice(from + cut);
          const outcome = await statementsOf(damaged).catch((error: unknown) => error);
          expect(Array.isArray(outcome) || outcome instanceof StatementFault).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
