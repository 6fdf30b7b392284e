import type { BankTransaction, RuleConditionsGiven, TransactionRule } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { useDebounced } from '../../api/use-debounced.ts';
import { useLoad } from '../../api/use-load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Totals } from '../../parts/money.tsx';
import { MatchedRows } from './matched-rows.tsx';
import { totalsOf, wantedTexts } from './rows.ts';
import { ruleWords } from './words.ts';

/** How many of them are drawn. */
const DRAWN = 20;
/** How many the service lists at most; with more, two versions are compared by their counts alone. */
const LISTED = 200;

type Props = {
  readonly companyId: string;
  /** Null while a line is not complete. */
  readonly conditions: RuleConditionsGiven | null;
  /** The version that is in force; null for a new rule. */
  readonly rule: TransactionRule | null;
};

type Matches = {
  readonly matched: number;
  readonly of: number;
  readonly isWhole: boolean;
  readonly rows: readonly BankTransaction[];
};

async function matchesOf(companyId: string, conditions: RuleConditionsGiven, signal: AbortSignal): Promise<Matches> {
  const found = await apiOf(companyId).evaluateDraftRule(
    { conditions, show: LISTED },
    { signal, query: { include: 'transactions' } },
  );
  const byId = new Map((found.transactions ?? []).map((row) => [row.id, row]));
  const rows = found.matches.flatMap(({ transactionId }) => byId.get(transactionId) ?? []);
  return { matched: found.matchedCount, of: found.candidateCount, isWhole: found.complete, rows };
}

/** What the draft matches while one types, and what it would add and take away against the version in force. */
export function LiveMatches({ companyId, conditions, rule }: Props) {
  const w = ruleWords().live;
  const written = conditions === null ? '' : JSON.stringify(conditions);
  const settled = useDebounced(written);
  const inForce = rule === null ? '' : JSON.stringify(rule.conditions);
  const now = useLoad(settled, (signal) => matchesOf(companyId, JSON.parse(settled), signal));
  const before = useLoad(inForce, (signal) => matchesOf(companyId, JSON.parse(inForce), signal));
  if (settled === '' && now.data === undefined) return <p class="muted">{w.waiting}</p>;
  return (
    <section class="stack" aria-live="polite" aria-label={w.heading}>
      <h3>{w.heading}</h3>
      <Loaded of={now} what={w.failed}>
        {(found) => (
          <>
            <p>
              <strong>{w.counted(found.matched, found.of)}</strong>{' '}
              {!found.isWhole && <span class="muted">{w.newest}</span>}
            </p>
            {rule !== null && before.data !== undefined && settled !== inForce && (
              <Comparison now={found} before={before.data} version={rule.version} />
            )}
            {found.rows.length === 0 ? (
              <p class="muted">{w.none}</p>
            ) : (
              <>
                <p class="row small muted">
                  {w.sum} <Totals totals={totalsOf(found.rows)} as="plain" />
                </p>
                <MatchedRows
                  label={w.heading}
                  rows={found.rows.slice(0, DRAWN)}
                  wanted={wantedTexts(settled === '' ? null : JSON.parse(settled))}
                />
                {found.matched > DRAWN && <p class="small muted">{w.more(found.matched - DRAWN)}</p>}
              </>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

type ComparisonProps = { readonly now: Matches; readonly before: Matches; readonly version: number };

function Comparison({ now, before, version }: ComparisonProps) {
  const w = ruleWords().live;
  const isExact = now.matched <= now.rows.length && before.matched <= before.rows.length;
  const [hadIds, hasIds] = [before, now].map(({ rows }) => new Set(rows.map(({ id }) => id)));
  const added = isExact ? now.rows.filter(({ id }) => !hadIds?.has(id)) : [];
  const gone = isExact ? before.rows.filter(({ id }) => !hasIds?.has(id)) : [];
  const difference = now.matched - before.matched;
  const [plus, minus] = isExact ? [added.length, gone.length] : [Math.max(0, difference), Math.max(0, -difference)];
  return (
    <div class="comparison stack">
      <p class="row">
        {w.against(version)}
        <strong class="digits good">+{plus}</strong>
        <strong class="digits bad">−{minus}</strong>
      </p>
      {isExact && plus + minus === 0 && <p class="small muted">{w.same}</p>}
      {added.length > 0 && <Folded title={w.added} rows={added} />}
      {gone.length > 0 && <Folded title={w.gone} rows={gone} />}
    </div>
  );
}

function Folded({ title, rows }: { readonly title: string; readonly rows: readonly BankTransaction[] }) {
  return (
    <details class="fold">
      <summary>
        {title} ({rows.length})
      </summary>
      <MatchedRows label={title} rows={rows.slice(0, DRAWN)} />
    </details>
  );
}
