import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { StateWord } from '../state-word.tsx';
import { transactionWords } from './words.ts';

type Row = Pick<BankTransaction, 'assignmentSummary' | 'automation'>;

/** Whether a reference is attached; if not, whether automation still has to look, or has given up. */
export function TransactionState({ row: { assignmentSummary, automation } }: { readonly row: Row }) {
  const w = transactionWords().states;
  if (assignmentSummary.count > 0) return <StateWord tone="good">{w.assigned}</StateWord>;
  if (automation.status === 'dead') return <StateWord tone="bad">{w.dead}</StateWord>;
  if (automation.status === 'legacy') return <StateWord tone="none">{w.legacy}</StateWord>;
  if (automation.status === 'completed') return <StateWord tone="none">{w.open}</StateWord>;
  return <StateWord tone="warn">{w.waiting}</StateWord>;
}
