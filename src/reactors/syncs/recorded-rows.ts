import type { LookUpKnown } from '../../commands/known-transaction.ts';
import type { FormerRow } from '../../commands/settle-stamps.ts';
import { SLOT_STAMPS } from '../../deciders/row-slots.ts';
import { accountDayKey, accountDays } from '../../projections/account-days.ts';
import type { SyncRunDocument } from '../../projections/sync-runs.ts';
import { transactions } from '../../projections/transactions.ts';
import type { Filter } from '../../readstore/read-store.ts';
import { documentId } from '../../shared/ids.ts';
import type { ReactorServices } from '../reactor-services.ts';
import { addDays } from './sync-plan.ts';

type Run = Pick<SyncRunDocument, 'tenantId' | 'bankCode'>;

export function openKnownRows({ readModels }: ReactorServices, { tenantId }: Run): LookUpKnown {
  const collection = readModels.of(transactions);
  return async (ids) => {
    const found = await collection.getMany(ids.map((id) => documentId(tenantId, id)));
    return new Map([...found.values()].map((document) => [document.id, document]));
  };
}

export type LookUpFormerOf = (subAccountKey: string, day: string) => Promise<readonly FormerRow[]>;

/**
 * The rows of a day that an earlier version recorded. No more are added, so each day is read once per sync, and only if
 * the day has rows.
 */
export function openFormerRows({ readModels }: ReactorServices, { tenantId, bankCode }: Run): LookUpFormerOf {
  const read = new Map<string, Promise<readonly FormerRow[]>>();

  async function readFormer(subAccountKey: string, day: string): Promise<readonly FormerRow[]> {
    const ofDay = await readModels.of(accountDays).get(accountDayKey(tenantId, bankCode, subAccountKey, day));
    if (ofDay === undefined || ofDay.count === 0) return [];
    const filter: Filter = [
      { field: 'tenantId', op: 'eq', value: tenantId },
      { field: 'transactionDate', op: 'gte', value: day },
      { field: 'transactionDate', op: 'lt', value: addDays(day, 1) },
      { field: 'subAccountKey', op: 'eq', value: subAccountKey },
      { field: 'bankCode', op: 'eq', value: bankCode },
    ];
    const found: FormerRow[] = [];
    const sort = [{ field: 'transactionDate', direction: 'asc' }] as const;
    const { from, to } = SLOT_STAMPS;
    for (const others of [{ op: 'lt', value: from } as const, { op: 'gte', value: to } as const]) {
      const former: Filter = [...filter, { field: 'providerStamp', ...others }];
      for await (const row of readModels.of(transactions).iterate({ filter: former, sort })) {
        const { providerStamp: stamp, contentHash, description, nameSurname, iban, amount, incoming } = row;
        found.push({ stamp, contentHash, description, nameSurname, iban, amount, incoming });
      }
    }
    return found;
  }

  return (subAccountKey, day) => {
    const key = `${subAccountKey} ${day}`;
    const known = read.get(key) ?? readFormer(subAccountKey, day);
    read.set(key, known);
    return known;
  };
}
