import type { BankClient, BankConnection } from '../../sdk/src/index.ts';
import { type TransactionDocument, transactions } from '../../src/projections/transactions.ts';
import type { Condition } from '../../src/readstore/read-store.ts';
import type { Service } from '../../src/wiring/service.ts';
import { count } from '../say.ts';
import type { DemoKeys } from './demo-keys.ts';
import { BERLIN, demoRules, ISTANBUL } from './demo-rules.ts';

type Filled = { readonly tenantId: string; readonly keys: DemoKeys; readonly connections: readonly BankConnection[] };

/** What was recorded and assigned, the keys, three requests to paste, and where to read more. */
export async function summaryLines(service: Service, client: BankClient, filled: Filled): Promise<string[]> {
  const { tenantId, keys, connections } = filled;
  const collection = service.reactorServices.readModels.of<TransactionDocument>(transactions);
  const counted = (...conditions: Condition[]): Promise<number> =>
    collection.count([{ field: 'tenantId', op: 'eq', value: tenantId }, ...conditions]);

  const lines = ['', `Recorded   ${count(await counted()).padStart(7)}  transactions`];
  for (const { id, title, companies, subAccounts } of connections) {
    const ofOne = await counted({ field: 'accountId', op: 'eq', value: id });
    const currencies = subAccounts.map(({ currency }) => currency).join(', ');
    lines.push(`           ${count(ofOne).padStart(7)}  ${title} (${currencies}), company ${companies}`);
  }
  const assigned = await counted({ field: 'assigned', op: 'eq', value: true });
  lines.push(`Assigned   ${count(assigned).padStart(7)}  of them, by ${demoRules.length} rules`);
  for await (const rule of client.each.listRules()) {
    if (!demoRules.some(({ name }) => name === rule.name)) continue;
    const ofOne = await counted({ field: 'ruleIds', op: 'has', value: rule.id });
    lines.push(`           ${count(ofOne).padStart(7)}  ${rule.name} (${rule.referenceKey})`);
  }
  lines.push(
    '',
    `Keys       x-api-key: ${keys.apiKey}`,
    `           x-api-secret: ${keys.apiSecret}`,
    `           x-company-id: ${ISTANBUL} or ${BERLIN}`,
  );
  const newest = await client.with({ company: ISTANBUL }).listTransactions({ assigned: true, limit: 1 });
  const [transaction] = newest.items;
  const [connection] = connections;
  const identity = `-H 'x-api-key: ${keys.apiKey}' -H 'x-api-secret: ${keys.apiSecret}'`;
  const curl = (rest: string): string => `curl -s ${rest} ${identity}`;
  lines.push(
    '',
    'Try        the newest assigned transactions, why one of them was assigned, and a sync that adds no duplicates:',
    '',
  );
  lines.push(curl(`'${service.url}/banks/transactions?assigned=true&limit=2'`));
  if (transaction !== undefined) lines.push(curl(`'${service.url}/banks/transactions/${transaction.id}/explanation'`));
  if (connection !== undefined) {
    const sync = `-X POST '${service.url}/banks/accounts/${connection.id}/sync'`;
    lines.push(curl(`${sync} -H 'x-company-id: ${connection.companies}' -H 'prefer: wait=30'`));
  }
  lines.push('', `Reference  ${service.url}/docs`, 'Up until you stop it with Ctrl-C.');
  return lines;
}
