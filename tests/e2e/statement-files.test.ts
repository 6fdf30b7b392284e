import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectFolder, deliverTo } from '../support/statement-folders.ts';
import { startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

let api: TestService;
beforeAll(async () => {
  api = await startTestService();
});
afterAll(() => api.stop());

/** Two rows on one account, from an opening balance of 1,000 EUR. */
function mt940(changes: { iban?: string; closing?: string } = {}): string {
  const { iban = 'DE89370400440532013000', closing = '1150,50' } = changes;
  return [
    ':20:STARTUMS',
    `:25:${iban}`,
    ':28C:1/1',
    ':60F:C260105EUR1000,00',
    ':61:2601060106C200,50NTRFNONREF',
    ':86:166?00GUTSCHRIFT?20Invoice 4711?32ACME GMBH',
    ':61:2601060106D50,00NTRFNONREF',
    ':86:177?00UEBERWEISUNG?20Rent?32LANDLORD',
    `:62F:C260106EUR${closing}`,
    '-',
    '',
  ].join('\r\n');
}

async function rowsOf(id: string): Promise<{ amount: number; incoming: boolean; balance: number }[]> {
  const list = await api.call<{ items: never[] }>('GET', `/banks/transactions?accountId=${id}&sort=amount`);
  return list.body.result.items;
}

type Faulty = {
  status: string;
  error?: { code: string; source?: string; place?: string };
  counts: Record<string, number>;
};

describe('a folder of statements', () => {
  it('is imported once, with complete running balances', async () => {
    deliverTo(api, 'plain', 'one.sta', mt940());
    const id = await connectFolder(api, 'plain');
    const sync = await syncAndWait(api, id);
    expect(sync).toMatchObject({ status: 'completed', counts: { fetched: 2, inserted: 2 } });
    expect(await rowsOf(id)).toMatchObject([
      { amount: 50, incoming: false, balance: 1150.5 },
      { amount: 200.5, incoming: true, balance: 1200.5 },
    ]);
    deliverTo(api, 'plain', 'the same again.sta', mt940());
    const again = await syncAndWait(api, id);
    expect(again).toMatchObject({ status: 'completed', counts: { inserted: 0 } });
    const health = await api.call<{ completeness: { status: string }[] }>('GET', `/banks/accounts/${id}/health`);
    expect(health.body.result.completeness).toMatchObject([{ status: 'complete' }]);
  });

  it('that has not changed is not read again, and its rows count as duplicates', async () => {
    deliverTo(api, 'kept', 'one.sta', mt940({ iban: 'DE02100100100006820101' }));
    const id = await connectFolder(api, 'kept');
    await syncAndWait(api, id);
    const again = await syncAndWait(api, id);
    expect(again).toMatchObject({ status: 'completed', counts: { fetched: 2, inserted: 0, duplicates: 2 } });
    const path = '/banks/audit/connector-logs';
    const { body: list } = await api.call<{ items: { id: string; operation: string }[] }>(
      'GET',
      `${path}?syncId=${again.id}`,
    );
    const page = list.result.items.find(({ operation }) => operation === 'page');
    const { body } = await api.call<{ response: { body: { text: string } } }>('GET', `${path}/${page?.id}`);
    expect(JSON.stringify(body.result)).toContain('unchanged since it was recorded');
  });

  it('with a broken file fails with code, file and place, and its other files are imported', async () => {
    deliverTo(api, 'mixed', 'good.sta', mt940({ iban: 'DE75512108001245126199' }));
    deliverTo(api, 'mixed', 'broken.xml', '<?xml version="1.0"?><Document><BkToCstmrStmt><Stmt><Ntry></Document>');
    const id = await connectFolder(api, 'mixed');
    const sync = (await syncAndWait(api, id)) as unknown as Faulty;
    expect(sync).toMatchObject({
      status: 'failed',
      error: { code: 'STATEMENT_FILE_INVALID', source: 'broken.xml', place: expect.any(String) },
      counts: { inserted: 2 },
    });
    const connection = await api.call<{ syncHealth: { status: string; lastErrorCode: string } }>(
      'GET',
      `/banks/accounts/${id}`,
    );
    expect(connection.body.result.syncHealth).toMatchObject({
      status: 'failing',
      lastErrorCode: 'STATEMENT_FILE_INVALID',
    });
  });

  it('whose closing balance does not follow from its rows is refused, with the computed balance', async () => {
    deliverTo(api, 'wrong', 'good.sta', mt940({ iban: 'DE91100000000123456789' }));
    deliverTo(
      api,
      'wrong',
      'wrong.sta',
      mt940({ iban: 'DE91100000000123456789', closing: '1100,00' }).replace('20260', '20261'),
    );
    const id = await connectFolder(api, 'wrong');
    expect(await syncAndWait(api, id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'STATEMENT_BALANCES_DIFFER',
        message: expect.stringContaining('1150.5, but the closing balance is 1100'),
        source: 'wrong.sta',
        place: 'line 9',
      },
      counts: { fetched: 2, inserted: 2 },
    });
  });

  it('whose closing balance does not follow from its rows is imported with balances: note, and the gap is located to the day', async () => {
    deliverTo(api, 'gap', 'gap.sta', mt940({ iban: 'DE02120300000000202051', closing: '1100,00' }));
    const id = await connectFolder(api, 'gap', { balances: 'note' });
    const sync = await syncAndWait(api, id);
    expect(sync).toMatchObject({
      status: 'completed',
      notes: [{ code: 'STATEMENT_BALANCES_DIFFER', source: 'gap.sta', place: 'line 9' }],
    });
    const position = (await api.service.log.head()) ?? '';
    const health = await api.call<{ completeness: { status: string; gaps: unknown[] }[] }>(
      'GET',
      `/banks/accounts/${id}/health`,
      undefined,
      { 'x-min-log-position': position },
    );
    expect(health.body.result.completeness).toMatchObject([
      {
        status: 'gaps',
        gaps: [{ day: '2026-01-06', expectedBalance: 1150.5, statedBalance: 1100, difference: -50.5 }],
      },
    ]);
  });

  it('in Windows-1254 is read so that the rule of the guide matches it', async () => {
    const text = mt940({ iban: 'TR330006100519786457841326' }).replace(/177.*/, 'Vergi Tahsilat\u00fd');
    deliverTo(api, 'turkish', 'bank.sta', Buffer.from(text, 'latin1'));
    const id = await connectFolder(api, 'turkish');
    await syncAndWait(api, id);
    const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/rules.md'), 'utf8');
    const rule = JSON.parse(/```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? '');
    type Answer = { matches: { transactionId: string }[] };
    const evaluated = await api.call<Answer>('POST', '/banks/transaction-rules/evaluate', {
      ...rule,
      scope: { accountIds: [id] },
    });
    expect([evaluated.status, evaluated.body.result.matches.length]).toEqual([200, 1]);
  });

  it('keeps the references of a payment: searchable, in its description, and separately in its explanation', async () => {
    const debit = ':86:105?00LASTSCHRIFT?20EREF+E2E-4711?21MREF+M-1?22SVWZ+Rent?32LANDLORD';
    const text = mt940({ iban: 'DE27100777770209299700' }).replace('D50,00NTRFNONREF', 'D50,00NDDTNONREF//BANK-99');
    deliverTo(api, 'named', 'one.sta', text.replace(/:86:177.*/, debit));
    const id = await connectFolder(api, 'named');
    await syncAndWait(api, id);
    type List = { items: { id: string; description: string }[] };
    for (const word of ['4711', 'BANK-99']) {
      const found = await api.call<List>('GET', `/banks/transactions?accountId=${id}&q=${word}`);
      expect(found.body.result.items.length).toBeGreaterThan(0);
    }
    const found = await api.call<List>('GET', `/banks/transactions?accountId=${id}&q=BANK-99`);
    const [row] = found.body.result.items;
    expect(row?.description).toBe('LASTSCHRIFT EREF+E2E-4711 MREF+M-1 SVWZ+Rent BREF+BANK-99');
    const explanation = await api.call('GET', `/banks/transactions/${row?.id}/explanation`);
    expect(explanation.body.result).toMatchObject({
      references: { endToEndId: 'E2E-4711', mandateId: 'M-1', bankReference: 'BANK-99' },
    });
  });

  it('has settings that are checked', async () => {
    const body = { bankCode: 'statement-files', title: 'settings', environment: 'production' };
    const opened = await api.call<{ id: string }>('POST', '/banks/accounts', body);
    const path = `/banks/accounts/${opened.body.result.id}/credentials`;
    for (const wrong of [{ balances: 'never' }, { charset: 'klingon' }]) {
      const put = await api.call('PUT', path, { folder: 'settings', ...wrong });
      expect([put.status, put.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    }
  });

  it.each(['../outside', '/etc', 'a/../../b'])('never reads outside: %s', async (folder) => {
    const body = { bankCode: 'statement-files', title: 'out', environment: 'production' };
    const opened = await api.call<{ id: string }>('POST', '/banks/accounts', body);
    const put = await api.call('PUT', `/banks/accounts/${opened.body.result.id}/credentials`, { folder });
    expect([put.status, put.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});
