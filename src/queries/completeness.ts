import { type Completeness, checkCompleteness } from '../deciders/completeness.ts';
import { type AccountDayDocument, accountDays } from '../projections/account-days.ts';
import type { ConnectionDocument } from '../projections/connections.ts';
import type { ReadModels } from './read-models.ts';
import { openReader } from './reader.ts';

/** Of one physical account over all its booking days, whichever of the tenant's connections brought the rows. */
export async function completenessOf(
  readModels: ReadModels,
  connection: Pick<ConnectionDocument, 'tenantId' | 'bankCode'>,
  account: { readonly subAccountKey: string },
): Promise<Completeness> {
  const days: AccountDayDocument[] = [];
  const all = openReader(readModels, connection.tenantId, null).all(accountDays, {
    filter: [
      { field: 'bankCode', op: 'eq', value: connection.bankCode },
      { field: 'subAccountKey', op: 'eq', value: account.subAccountKey },
    ],
    sort: [{ field: 'day', direction: 'asc' }],
  });
  for await (const day of all) days.push(day);
  return checkCompleteness(days);
}
