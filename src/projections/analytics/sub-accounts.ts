import type { EventType, KnownEvent } from '../../events/registry.ts';
import { type Change, sums } from './sums.ts';

const TAKES = ['TransactionRecorded'] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function changes(event: Taken): readonly Change[] {
  const { accountId, subAccountKey, bankCode, currency } = event.data;
  return [{ dimensions: { accountId, subAccountKey, bankCode, currency }, at: null, figures: { recorded: 1 } }];
}

/** Which physical accounts have rows, and which connection delivered them. */
export const subAccounts = sums({
  fields: ['accountId', 'subAccountKey', 'bankCode', 'currency'],
  figures: { money: [], counts: ['recorded'] },
  name: 'sub-account-sums',
  version: 2,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
  foundBy: ['accountId'],
});
