import type { TransactionRule } from '../../../../sdk/src/index.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { ruleWords } from './words.ts';

export function RuleState({ rule: { status, archivedAt } }: { readonly rule: TransactionRule }) {
  const w = ruleWords().states;
  if (archivedAt !== undefined) return <StateWord tone="none">{w.archived}</StateWord>;
  return <StateWord tone={status === 'active' ? 'good' : 'warn'}>{w[status]}</StateWord>;
}
