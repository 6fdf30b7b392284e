import { describe, expect, it } from 'vitest';
import { statedIban } from '../../../src/providers/statement-files/account-number.ts';
import type { StatementRow } from '../../../src/providers/statement-files/statement.ts';
import { present } from '../sessions.ts';
import { soundStatements } from './reading.ts';

async function mt940Row(movement: string, details: string, account = 'NL81ASNB9999999999'): Promise<StatementRow> {
  const text = `:20:R\n:25:${account}\n:60F:C200101EUR100,\n:61:${movement}\n${details}\n:62F:C200101EUR35,\n-\n`;
  return present((await soundStatements(text))[0]?.rows[0]);
}

async function camtRow(entry: string): Promise<StatementRow> {
  const account = '<Acct><Id><IBAN>NL81ASNB9999999999</IBAN></Id><Ccy>EUR</Ccy></Acct>';
  const text = `<Document><BkToCstmrStmt><Stmt><Id>S</Id>${account}${entry}</Stmt></BkToCstmrStmt></Document>`;
  return present((await soundStatements(text))[0]?.rows[0]);
}

describe('the counterparty of an MT940 row', () => {
  it('is read for ASN, SNS and Volksbank: an IBAN as the reference, and its holder on the next line', async () => {
    const details = ':86:NL47INGB9999999999 hr gjlm paulissen\n\nBetaling sieraden\n\n';
    expect(await mt940Row('200101    D65,00NOVBNL47INGB9999999999\nhr gjlm paulissen', details)).toMatchObject({
      iban: 'NL47INGB9999999999',
      nameSurname: 'hr gjlm paulissen',
      description: 'Betaling sieraden',
      findAI: false,
    });
  });

  it('is read for Polish banks: subfields after <, and an account without its country', async () => {
    const details = ':86:020<00Przelew<20Faktura 7<27Jan Nowak<28Warszawa<3161109010140000071219812874';
    expect(await mt940Row('2001010101D65,00NTRFX', details)).toMatchObject({
      iban: 'PL61109010140000071219812874',
      nameSurname: 'Jan Nowak Warszawa',
      description: 'Przelew Faktura 7',
    });
    const named = ':86:020<00Przelew<20Faktura<27 8<32Anna<33 Nowak';
    expect(await mt940Row('2001010101D65,00NTRFX', named)).toMatchObject({
      nameSurname: 'Anna Nowak',
      description: 'Przelew Faktura 8',
    });
  });

  it('is guessed even if the own account is a plain number', async () => {
    const row = await mt940Row('2001010101D65,00NTRFX', ':86:to DE89370400440532013000', '12345678');
    expect(row).toMatchObject({ iban: 'DE89370400440532013000', findAI: true });
  });

  it("is never a creditor's reference", () => {
    expect([statedIban('RF18539007547034'), statedIban('NL47INGB9999999999')]).toEqual([null, 'NL47INGB9999999999']);
  });
});

describe('the references of a payment', () => {
  it('are read from the numbered subfields of German banks', async () => {
    const details = ':86:105?00LASTSCHRIFT?20EREF+E2E-7?21MREF+M-1?22CRED+DE98ZZZ09999999999?23SVWZ+Rent?32LANDLORD';
    const row = await mt940Row('2001010101D65,00NDDTKREF+//BANK1', details);
    expect(row.references).toEqual({
      endToEndId: 'E2E-7',
      mandateId: 'M-1',
      creditorId: 'DE98ZZZ09999999999',
      bankReference: 'BANK1',
    });
    expect(row.nameSurname).toBe('LANDLORD');
  });

  it('are read between slashes', async () => {
    const details = ':86:/TRTP/SEPA/CSID/NL98ZZZ1/NAME/A. Bee/MARF/M-2/REMI/Invoice 7/EREF/E2E-8';
    const row = await mt940Row('2001010101D65,00NDDTNONREF', details);
    expect(row.references).toEqual({ endToEndId: 'E2E-8', mandateId: 'M-2', creditorId: 'NL98ZZZ1' });
  });

  it('are read from camt.053, without fillers', async () => {
    const refs = '<Refs><EndToEndId>NOTPROVIDED</EndToEndId><MndtId>M-3</MndtId><AcctSvcrRef>B-3</AcctSvcrRef></Refs>';
    const creditor = '<Cdtr><Nm>C</Nm><Id><PrvtId><Othr><Id>DE98ZZZ3</Id></Othr></PrvtId></Id></Cdtr>';
    const details = `<NtryDtls><TxDtls>${refs}<RltdPties>${creditor}</RltdPties></TxDtls></NtryDtls>`;
    const head =
      '<Amt Ccy="EUR">1</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2025-03-02</Dt></BookgDt>';
    expect((await camtRow(`<Ntry>${head}${details}</Ntry>`)).references).toEqual({
      mandateId: 'M-3',
      creditorId: 'DE98ZZZ3',
      bankReference: 'B-3',
    });
  });
});

describe('a returned debit in camt.053', () => {
  const returned = (parties: string) =>
    camtRow(
      `<Ntry><Amt Ccy="EUR">1</Amt><CdtDbtInd>CRDT</CdtDbtInd><RvslInd>true</RvslInd><Sts>BOOK</Sts><BookgDt><Dt>2025-03-02</Dt></BookgDt><NtryDtls><TxDtls><RltdPties>${parties}</RltdPties></TxDtls></NtryDtls></Ntry>`,
    );

  it('names its party as the original payment does', async () => {
    const parties = '<Dbtr><Nm>Us</Nm></Dbtr><Cdtr><Nm>Supplier</Nm></Cdtr>';
    expect(await returned(parties)).toMatchObject({ nameSurname: 'Supplier' });
  });

  it('names its party even if the bank swaps the roles', async () => {
    expect(await returned('<Dbtr><Nm>Supplier</Nm></Dbtr>')).toMatchObject({ nameSurname: 'Supplier' });
    const accounts = '<DbtrAcct><Id><IBAN>NL47INGB9999999999</IBAN></Id></DbtrAcct>';
    const own = '<CdtrAcct><Id><IBAN>NL81ASNB9999999999</IBAN></Id></CdtrAcct>';
    expect(await returned(`<Dbtr><Nm>Supplier</Nm></Dbtr>${accounts}<Cdtr><Nm>Us</Nm></Cdtr>${own}`)).toMatchObject({
      nameSurname: 'Supplier',
      iban: 'NL47INGB9999999999',
    });
  });
});
