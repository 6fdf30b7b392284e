import type { BankTransaction, RuleRun, RuleRunMatch } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { MatchedRows } from './matched-rows.tsx';
import { ruleWords } from './words.ts';

const SHOWN = 10;

type Sample = { readonly match: RuleRunMatch; readonly row: BankTransaction };

/** Some transactions of a run, each with what was done to it. */
export function RunSamples({ run }: { readonly run: RuleRun }) {
  const w = ruleWords().runs;
  const load = useLoad(`${run.id} ${run.updatedAt}`, async (signal): Promise<Sample[]> => {
    const query = { limit: SHOWN, include: 'transactions' as const };
    const { items, transactions = [] } = await apiOf(run.companies).listRuleRunMatches(run.id, query, { signal });
    return items.flatMap((match) => {
      const row = transactions.find(({ id }) => id === match.transactionId);
      return row === undefined ? [] : [{ match, row }];
    });
  });
  return (
    <Loaded of={load} what={w.loadFailed}>
      {(samples) => {
        if (samples.length === 0) return null;
        const outcomes = new Map(samples.map(({ match }) => [match.transactionId, match.outcome]));
        return (
          <details class="fold">
            <summary>{w.samples}</summary>
            <MatchedRows
              label={w.samples}
              rows={samples.map(({ row }) => row)}
              note={({ id }) => <span>{w.outcomes[outcomes.get(id) ?? 'kept']}</span>}
            />
          </details>
        );
      }}
    </Loaded>
  );
}
