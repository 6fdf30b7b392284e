import type { BankRow } from './statement-texts.ts';

const ACCOUNT = 'NL71RABO0123456789';

/** The content of a report made during a day. `day`, `change` and texts of rows as in statements. */
export type BankReport = {
  readonly account?: string;
  /** `2025-03-04T12:00:00` */
  readonly madeAt: string;
  readonly booked?: readonly BankRow[];
  readonly pending?: readonly BankRow[];
  /** By their types, such as OPBD, ITBD, ITAV. */
  readonly balances?: Readonly<Record<string, number>>;
};

export function camtReport({
  account = ACCOUNT,
  madeAt,
  booked = [],
  pending = [],
  balances = {},
}: BankReport): string {
  const sign = (amount: number) => `<CdtDbtInd>${amount < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
  const money = (amount: number) => `<Amt Ccy="EUR">${Math.abs(amount)}</Amt>${sign(amount)}`;
  const stated = Object.entries(balances).map(([type, amount]) => {
    const code = `<Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>`;
    return `<Bal>${code}${money(amount)}<Dt><Dt>${madeAt.slice(0, 10)}</Dt></Dt></Bal>`;
  });
  const entry = (status: string) => (row: BankRow) => {
    const known = row.reference === undefined ? '' : `<AcctSvcrRef>${row.reference}</AcctSvcrRef>`;
    const details = `<NtryDtls><TxDtls><RmtInf><Ustrd>${row.text}</Ustrd></RmtInf></TxDtls></NtryDtls>`;
    const date = `<BookgDt><Dt>${row.day}</Dt></BookgDt>`;
    return `<Ntry>${money(row.change)}<Sts><Cd>${status}</Cd></Sts>${date}${known}${details}</Ntry>`;
  };
  const entries = [...booked.map(entry('BOOK')), ...pending.map(entry('PDNG'))].join('');
  const holder = `<Acct><Id><IBAN>${account}</IBAN></Id><Ccy>EUR</Ccy></Acct>`;
  const head = `<Id>R</Id><CreDtTm>${madeAt}</CreDtTm>${holder}${stated.join('')}`;
  const report = `<BkToCstmrAcctRpt><GrpHdr/><Rpt>${head}${entries}</Rpt></BkToCstmrAcctRpt>`;
  return `<?xml version="1.0"?><Document>${report}</Document>`;
}

export function mt942Report({ account = ACCOUNT, madeAt, pending = [] }: BankReport): string {
  const date = (day: string) => day.slice(2, 10).replaceAll('-', '');
  const sum = (side: readonly BankRow[]) => side.reduce((total, { change }) => total + Math.abs(change), 0);
  const [debits, credits] = [pending.filter(({ change }) => change < 0), pending.filter(({ change }) => change >= 0)];
  const movements = pending.map(({ day, change, text }) => {
    const mark = change < 0 ? 'D' : 'C';
    return `:61:${date(day)}${date(day).slice(2)}${mark}${Math.abs(change)},NTRFNONREF\n:86:166?20${text}\n`;
  });
  const time = madeAt.slice(11, 16).replace(':', '');
  const head = `:20:REPORT\n:25:${account}\n:28C:1/1\n:34F:EURD0,\n:34F:EURC0,\n:13D:${date(madeAt)}${time}+0100\n`;
  const sums = `:90D:${debits.length}EUR${sum(debits)},\n:90C:${credits.length}EUR${sum(credits)},\n`;
  return `${head}${movements.join('')}${sums}-\n`;
}

/** A batch booking with its payments, as a notification lists it. */
export type BankBatch = BankRow & {
  readonly payments: readonly (Omit<BankRow, 'day'> & { readonly currency?: string })[];
};

export function camtNotification(batches: readonly BankBatch[], account = ACCOUNT): string {
  const sign = (amount: number) => `<CdtDbtInd>${amount < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
  const entries = batches.map(({ day, change, reference, payments }) => {
    const details = payments.map(({ change: amount, text, name, currency = 'EUR' }) => {
      const role = amount < 0 ? 'Cdtr' : 'Dbtr';
      const who = name === undefined ? '' : `<RltdPties><${role}><Nm>${name}</Nm></${role}></RltdPties>`;
      const money = `<Amt Ccy="${currency}">${Math.abs(amount)}</Amt>${sign(amount)}`;
      return `<TxDtls>${money}${who}<RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`;
    });
    const money = `<Amt Ccy="EUR">${Math.abs(change)}</Amt>${sign(change)}<Sts>BOOK</Sts>`;
    const known = reference === undefined ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`;
    const booked = `<BookgDt><Dt>${day}</Dt></BookgDt>${known}`;
    return `<Ntry>${money}${booked}<NtryDtls><Btch/>${details.join('')}</NtryDtls></Ntry>`;
  });
  const holder = `<Acct><Id><IBAN>${account}</IBAN></Id><Ccy>EUR</Ccy></Acct>`;
  const message = `<BkToCstmrDbtCdtNtfctn><Ntfctn><Id>N</Id>${holder}${entries.join('')}</Ntfctn></BkToCstmrDbtCdtNtfctn>`;
  return `<?xml version="1.0"?><Document>${message}</Document>`;
}
