/** One row of an account, as the bank has it. `change` in whole units of the currency. */
export type BankRow = {
  readonly day: string;
  readonly change: number;
  readonly text: string;
  readonly name?: string;
  readonly reference?: string;
};

/** The content of a statement: consecutive rows from an opening balance on. */
export type BankStatement = {
  readonly account?: string;
  readonly opening: number;
  readonly rows: readonly BankRow[];
  /** The day of the opening and of the closing balance; that of the first and of the last row unless given. */
  readonly from?: string;
  readonly to?: string;
  readonly number?: string;
};

const ACCOUNT = 'NL71RABO0123456789';

function ends({ opening, rows, from, to }: BankStatement) {
  const closing = rows.reduce((sum, { change }) => sum + change, opening);
  const first = from ?? rows[0]?.day ?? '2025-03-01';
  return { closing, first, last: to ?? rows.at(-1)?.day ?? first };
}

export function mt940Statement(statement: BankStatement): string {
  const { account = ACCOUNT, opening, rows, number = '1' } = statement;
  const { closing, first, last } = ends(statement);
  const date = (day: string) => day.slice(2).replaceAll('-', '');
  const mark = (amount: number) => (amount < 0 ? 'D' : 'C');
  const balance = (tag: string, amount: number, day: string) =>
    `:${tag}:${mark(amount)}${date(day)}EUR${Math.abs(amount)},\n`;
  const lines = rows.map(({ day, change, text, name, reference }) => {
    const behind = reference === undefined ? '' : `//${reference}`;
    const who = name === undefined ? '' : `?32${name}`;
    const movement = `${date(day)}${date(day).slice(2)}${mark(change)}${Math.abs(change)},NTRFNONREF${behind}`;
    return `:61:${movement}\n:86:166?20${text}${who}\n`;
  });
  const head = `:20:REF\n:25:${account}\n:28C:${number}\n${balance('60F', opening, first)}`;
  return `${head}${lines.join('')}${balance('62F', closing, last)}-\n`;
}

export function camtStatement(statement: BankStatement): string {
  const { account = ACCOUNT, opening, rows, number = '1' } = statement;
  const { closing, first, last } = ends(statement);
  const sign = (amount: number) => `<CdtDbtInd>${amount < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;
  const money = (amount: number) => `<Amt Ccy="EUR">${Math.abs(amount)}</Amt>${sign(amount)}`;
  const balance = (type: string, amount: number, day: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${money(amount)}<Dt><Dt>${day}</Dt></Dt></Bal>`;
  const entries = rows.map(({ day, change, text, name, reference }) => {
    const role = change < 0 ? 'Cdtr' : 'Dbtr';
    const who = name === undefined ? '' : `<RltdPties><${role}><Nm>${name}</Nm></${role}></RltdPties>`;
    const known = reference === undefined ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`;
    const details = `<NtryDtls><TxDtls>${who}<RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls>`;
    return `<Ntry>${money(change)}<Sts>BOOK</Sts><BookgDt><Dt>${day}</Dt></BookgDt>${known}${details}</Ntry>`;
  });
  const balances = `${balance('OPBD', opening, first)}${balance('CLBD', closing, last)}`;
  const holder = `<Acct><Id><IBAN>${account}</IBAN></Id><Ccy>EUR</Ccy></Acct>`;
  const stmt = `<Stmt><Id>S</Id><ElctrncSeqNb>${number}</ElctrncSeqNb>${holder}${balances}${entries.join('')}</Stmt>`;
  return `<?xml version="1.0"?><Document><BkToCstmrStmt>${stmt}</BkToCstmrStmt></Document>`;
}
