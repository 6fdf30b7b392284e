import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

/**
 * Statement files of any size, written without holding them in memory. Each row has a different text; amounts repeat.
 */
export type LargeFile = {
  readonly format: 'MT940' | 'camt.053';
  readonly rows: number;
  /** Days over which the rows are spread evenly, from 2024-01-01 on. */
  readonly days?: number;
  readonly account?: string;
};

const FIRST_DAY_MS = Date.UTC(2024, 0, 1);
const AT_ONCE = 500;

function dayOf(index: number, { rows, days = 365 }: LargeFile): string {
  return new Date(FIRST_DAY_MS + Math.floor((index * days) / rows) * 86_400_000).toISOString().slice(0, 10);
}

/** In cents, signed; the same file each time. */
function changeOf(index: number): number {
  const cents = (Math.imul(index + 1, 2_654_435_761) >>> 0) % 1_000_000;
  return index % 3 === 0 ? -(cents + 1) : cents + 1;
}

function* pieces(file: LargeFile): Generator<string> {
  const { format, rows, account = 'NL71RABO0123456789' } = file;
  let sum = 100_000_00;
  for (let index = 0; index < rows; index += 1) sum += changeOf(index);
  const write = format === 'MT940' ? mt940 : camt;
  yield write.head(account, 100_000_00, sum, dayOf(0, file), dayOf(rows - 1, file));
  let part = '';
  for (let index = 0; index < rows; index += 1) {
    part += write.row(index, dayOf(index, file), changeOf(index));
    if (index % AT_ONCE !== 0) continue;
    yield part;
    part = '';
  }
  yield part + write.tail(sum, dayOf(rows - 1, file));
}

const short = (day: string) => day.slice(2).replaceAll('-', '');
const comma = (cents: number) =>
  `${Math.floor(Math.abs(cents) / 100)},${String(Math.abs(cents) % 100).padStart(2, '0')}`;
const mark = (cents: number) => (cents < 0 ? 'D' : 'C');

const mt940 = {
  head: (account: string, opening: number, _closing: number, first: string, _last: string) =>
    `:20:LARGE\r\n:25:${account}\r\n:28C:1/1\r\n:60F:${mark(opening)}${short(first)}EUR${comma(opening)}\r\n`,
  row: (index: number, day: string, change: number) =>
    `:61:${short(day)}${short(day).slice(2)}${mark(change)}${comma(change)}NTRFNONREF//B${index}\r\n` +
    `:86:166?00TRANSFER?20EREF+E2E${index}?21SVWZ+Invoice ${index * 7} of a customer with a long name?32Customer Number ${index % 5_000} GmbH\r\n`,
  tail: (closing: number, last: string) => `:62F:${mark(closing)}${short(last)}EUR${comma(closing)}\r\n-\r\n`,
};

const money = (cents: number) =>
  `<Amt Ccy="EUR">${comma(cents).replace(',', '.')}</Amt><CdtDbtInd>${cents < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
const balance = (type: string, cents: number, day: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${money(cents)}<Dt><Dt>${day}</Dt></Dt></Bal>\n`;

const camt = {
  head: (account: string, opening: number, closing: number, first: string, last: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>` +
    `<GrpHdr><MsgId>M</MsgId></GrpHdr><Stmt><Id>S</Id><Acct><Id><IBAN>${account}</IBAN></Id><Ccy>EUR</Ccy></Acct>\n` +
    balance('OPBD', opening, first) +
    balance('CLBD', closing, last),
  row: (index: number, day: string, change: number) => {
    const role = change < 0 ? 'Cdtr' : 'Dbtr';
    const lines = [
      `<NtryRef>${index}</NtryRef>`,
      `${money(change)}<Sts>BOOK</Sts>`,
      `<BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt>`,
      `<AcctSvcrRef>B${index}</AcctSvcrRef>`,
      '<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>',
      '<NtryDtls><TxDtls>',
      `  <Refs><InstrId>I${index}</InstrId><EndToEndId>E2E${index}</EndToEndId><TxId>T${index}</TxId></Refs>`,
      `  <AmtDtls><TxAmt>${money(change).split('<CdtDbtInd>')[0]}</TxAmt></AmtDtls>`,
      '  <RltdPties>',
      `    <${role}><Nm>Customer Number ${index % 5_000} GmbH</Nm><PstlAdr><StrtNm>Long Street of the City</StrtNm>`,
      `      <BldgNb>${index % 300}</BldgNb><PstCd>10115</PstCd><TwnNm>Berlin</TwnNm><Ctry>DE</Ctry></PstlAdr></${role}>`,
      `    <${role}Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></${role}Acct>`,
      '  </RltdPties>',
      `  <RltdAgts><${role}Agt><FinInstnId><BIC>COBADEFFXXX</BIC><Nm>Commercial Bank</Nm></FinInstnId></${role}Agt></RltdAgts>`,
      '  <Purp><Cd>SUPP</Cd></Purp>',
      `  <RmtInf><Ustrd>Invoice ${index * 7} of a customer with a long name, order ${index * 3}</Ustrd></RmtInf>`,
      `  <RltdDts><AccptncDtTm>${day}T10:00:00Z</AccptncDtTm></RltdDts>`,
      '</TxDtls></NtryDtls>',
    ];
    return `      <Ntry>\n${lines.map((line) => `        ${line}\n`).join('')}      </Ntry>\n`;
  },
  tail: (_closing: number, _last: string) => '</Stmt></BkToCstmrStmt></Document>\n',
};

/** The approximate bytes of a row, to make a file of a given size. */
export const ROW_BYTES = { MT940: 165, 'camt.053': 1_264 } as const;

export async function writeLargeFile(path: string, file: LargeFile): Promise<void> {
  const stream = createWriteStream(path);
  for (const piece of pieces(file)) if (!stream.write(piece)) await once(stream, 'drain');
  stream.end();
  await finished(stream);
}
