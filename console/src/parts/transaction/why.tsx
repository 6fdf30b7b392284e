import type { ConditionOutcome, TransactionExplanation } from '../../../../sdk/src/index.ts';
import { fieldWord, operatorWord } from '../condition-words.ts';
import { Moment } from '../moment.tsx';
import { transactionWords } from './words.ts';

/** Each rule as a line, unfolding to its conditions with the value each saw. */
export function Why({ explanation }: { readonly explanation: TransactionExplanation }) {
  const w = transactionWords();
  const { rules } = explanation;
  return (
    <section class="stack">
      <h3>{w.why}</h3>
      {rules.length === 0 && <p class="muted">{w.noRules}</p>}
      <ul class="lines">
        {rules.map(({ ruleId, name, version, matched, at, conditions, runId }) => (
          <li key={`${ruleId} ${at} ${runId}`}>
            <details class="fold">
              <summary>
                <span aria-hidden="true" class={matched ? 'good' : 'muted'}>
                  {matched ? '●' : '○'}
                </span>{' '}
                {name}{' '}
                <span class="small muted">
                  {w.version(version)}, {matched ? w.matched : w.notMatched} · <Moment at={at} />
                </span>
              </summary>
              <Conditions conditions={conditions} />
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Conditions({ conditions }: { readonly conditions: readonly ConditionOutcome[] }) {
  const w = transactionWords();
  return (
    <ul class="conditions">
      {conditions.map(({ path, field, operator, value, seen, held }) => (
        <li key={path}>
          <span aria-hidden="true" class={held ? 'good' : 'muted'}>
            {held ? '✓' : '✗'}
          </span>{' '}
          {fieldWord(field)} {operatorWord(operator)} <code>{shown(value)}</code>{' '}
          <span class="muted">
            {w.saw} <code>{seen === null || seen === '' ? w.nothing : String(seen)}</code>
          </span>
          <span class="hidden">{held ? w.matched : w.notMatched}</span>
        </li>
      ))}
    </ul>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
