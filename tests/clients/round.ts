// A round of calls with the client that openapi-typescript and openapi-fetch make of the document.
import createClient from 'openapi-fetch';
import type { paths } from './types.d.ts';

const { BANK_URL: baseUrl = '', BANK_API_KEY = '', BANK_API_SECRET = '', BANK_COMPANY: company = '' } = process.env;
const client = createClient<paths>({
  baseUrl,
  headers: { 'x-api-key': BANK_API_KEY, 'x-api-secret': BANK_API_SECRET, 'x-company-id': company },
});
const header = { 'x-company-id': company };
const patient = { ...header, prefer: 'wait=25' };

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(what);
  return value;
}

const opened = await client.POST('/banks/accounts', {
  params: { header },
  body: { bankCode: 'demo', title: 'TypeScript' },
});
const id = must(opened.data?.result.id, 'no connection');
const path = { id };
await client.PUT('/banks/accounts/{id}/credentials', {
  params: { path, header },
  body: { seed: 'typescript', transactionsPerDay: 2 },
});
await client.POST('/banks/accounts/{id}/setup', { params: { path, header: patient } });
const synced = await client.POST('/banks/accounts/{id}/sync', {
  params: { path, header: patient },
  body: { from: '2026-01-01', to: '2026-01-11' },
});
const position = synced.response.headers.get('x-log-position') ?? undefined;
const list = await client.GET('/banks/transactions', {
  params: {
    query: { accountId: id, limit: 5 },
    header: position === undefined ? {} : { 'x-min-log-position': position },
  },
});
const first = must(list.data?.result.items[0], 'no transaction');
const one = await client.GET('/banks/transactions/{id}', { params: { path: { id: first.id } } });
if (one.data?.result.amount !== first.amount) throw new Error('the list and the resource differ');
const rule = await client.POST('/banks/transaction-rules', {
  params: { header },
  body: {
    name: 'From TypeScript',
    conditions: {
      children: [{ combinator: 'any', children: [{ field: 'amount', operator: 'between', value: [1, 100] }] }],
    },
    actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: '1' } }],
  },
});
must(rule.data?.result.id, 'no rule');
const missing = await client.GET('/banks/transactions/{id}', { params: { path: { id: 'never-issued' } } });
if (missing.error?.code !== 'TRANSACTION_NOT_FOUND') throw new Error('no error code');
process.stdout.write(`TypeScript: ${list.data?.result.items.length} transactions\n`);
