import type { EventType, KnownEvent } from '../../events/registry.ts';
import { type Change, sums } from './sums.ts';

type Status = 'legacy' | 'pending' | 'retry' | 'completed' | 'dead';

function moved(from: Status, to: Status): readonly Change[] {
  if (from === to) return [];
  return [{ dimensions: {}, at: null, figures: { [from]: -1, [to]: 1 } }];
}

/** Only the first attempt finds a pending transaction: a manual retry starts counting again. */
const before = (attempt: number): Status => (attempt === 1 ? 'pending' : 'retry');

const TAKES = [
  'TransactionRecorded',
  'TransactionAutomationEvaluated',
  'TransactionAutomationFailed',
  'TransactionAutomationDied',
  'TransactionAutomationRetried',
] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function changes(event: Taken): readonly Change[] {
  switch (event.type) {
    case 'TransactionRecorded':
      return [{ dimensions: {}, at: null, figures: { [event.data.automation]: 1 } }];
    case 'TransactionAutomationEvaluated':
      return moved(before(event.data.attempt), 'completed');
    case 'TransactionAutomationFailed':
      return moved(before(event.data.attempt), 'retry');
    case 'TransactionAutomationDied':
      return moved(before(event.data.attempt), 'dead');
    case 'TransactionAutomationRetried':
      return moved(event.data.from, 'pending');
  }
}

/** How many transactions of a company have each automation status. */
export const automationSums = sums({
  fields: [],
  figures: { money: [], counts: ['pending', 'completed', 'retry', 'dead', 'legacy'] },
  name: 'automation-sums',
  version: 2,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
});
