import type { AnalyticsResult, BankConnection, TransactionTotals } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { accountName, useNames } from '../../api/names.ts';
import { useLoad } from '../../api/use-load.ts';
import { formatDay } from '../../format/dates.ts';
import { addDays, dayIn } from '../../format/days.ts';
import { formatMoney } from '../../format/money.ts';
import { asOf, atMoment, withMoment } from '../../frame/as-of-moment.ts';
import { BankReason } from '../../parts/bank-words.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Totals } from '../../parts/money.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { to } from '../../router.ts';
import { may, timeZone } from '../../session/session.ts';
import { common } from '../../words/index.ts';
import { language } from '../../words/language.ts';
import { rowsOf } from './rows-of.ts';
import { type SectionProps, useSettled } from './section.ts';
import { pageWords } from './words.ts';

const DAYS = 90;
const GAPS_SHOWN = 5;

type Waiting = {
  readonly gaps: AnalyticsResult['rows'];
  readonly dead: number;
  readonly unassigned: TransactionTotals;
  readonly failing: readonly Failing[];
};
type Failing = { readonly connection: BankConnection; readonly nextAllowedAt: string | null };

async function load(from: string, signal: AbortSignal): Promise<Waiting> {
  const [gaps, backlog, unassigned, failing] = await Promise.all([
    api().getAnalyticsResults('completeness-gaps', { from, ...atMoment() }, { signal }),
    api().getAnalyticsResults('automation-backlog', { ...atMoment() }, { signal }),
    api().getTransactionTotals({ assigned: false, ...atMoment() }, { signal }),
    may('connections:read') && asOf.value === null ? failingConnections(signal) : [],
  ]);
  const dead = (backlog as AnalyticsResult).rows.find(({ status }) => status === 'dead')?.count ?? 0;
  return { gaps: (gaps as AnalyticsResult).rows, dead: Number(dead), unassigned, failing };
}

async function failingConnections(signal: AbortSignal): Promise<Failing[]> {
  const { items } = await api().listConnections({ limit: 200 }, { signal });
  const bad = items.filter(({ syncHealth, archivedAt }) => archivedAt === undefined && isFailing(syncHealth.status));
  return await Promise.all(
    bad.map(async (connection) => {
      const { nextAllowedAt } = await api().getConnectionHealth(connection.id, { signal });
      return { connection, nextAllowedAt: nextAllowedAt ?? null };
    }),
  );
}

function isFailing(status: string): boolean {
  return ['degraded', 'failing', 'rate_limited', 'credentials_rejected'].includes(status);
}

/** What waits for somebody: gaps, connections that fail, rows without a reference, failed automation. */
export function Needs({ turn, onSettled }: SectionProps) {
  const w = pageWords();
  const from = addDays(dayIn(timeZone.value, new Date()), -DAYS);
  const found = useLoad(`needs ${from} ${asOf.value}`, (signal) => load(from, signal), turn);
  useSettled(found, onSettled);
  return (
    <section class="card stack needs">
      <h2>{w.needsYou}</h2>
      <Loaded of={found} what={w.needsFailed}>
        {(waiting) => <List waiting={waiting} />}
      </Loaded>
    </section>
  );
}

function List({ waiting: { gaps, dead, unassigned, failing } }: { readonly waiting: Waiting }) {
  const w = pageWords();
  const t = common().table;
  const { count, totals } = unassigned;
  if (gaps.length + dead + count.value + failing.length === 0) return <p>{w.nothing}</p>;
  const rows = count.atLeast ? t.atLeast(t.rows(count.value)) : t.rows(count.value);
  return (
    <ul class="lines">
      {failing.map(({ connection: { id, title, syncHealth }, nextAllowedAt }) => (
        <li key={id}>
          <StateWord tone={syncHealth.status === 'degraded' ? 'warn' : 'bad'}>{title}</StateWord>
          <p>
            <a href={withMoment(to('connections', id))}>{w.health[syncHealth.status] ?? syncHealth.status}</a>
          </p>
          <div class="small muted">
            {syncHealth.lastErrorCode !== undefined && (
              <BankReason code={syncHealth.lastErrorCode} message={syncHealth.lastErrorMessage} />
            )}
            {nextAllowedAt !== null && (
              <>
                {' '}
                {w.next} <Moment at={nextAllowedAt} />
              </>
            )}
          </div>
        </li>
      ))}
      <Gaps gaps={gaps} />
      {dead > 0 && (
        <li>
          <StateWord tone="bad">{''}</StateWord> <a href={rowsOf({ automationStatus: 'dead' })}>{w.dead(dead)}</a>
        </li>
      )}
      {count.value > 0 && (
        <li>
          <a href={withMoment(to('review'))}>{w.review(rows)}</a>
          <p class="small row">
            <Totals
              totals={totals.flatMap(({ currency, in: came, out }) => [
                { currency, amount: came },
                { currency, amount: `-${out}` },
              ])}
            />
          </p>
        </li>
      )}
    </ul>
  );
}

function Gaps({ gaps }: { readonly gaps: AnalyticsResult['rows'] }) {
  const w = pageWords();
  const names = useNames();
  return (
    <>
      {gaps.slice(0, GAPS_SHOWN).map(({ accountId, subAccountKey, day, difference, currency }) => {
        const [account, key, on] = [String(accountId), String(subAccountKey), String(day)];
        const amount = formatMoney(language.value, difference ?? 0, String(currency ?? ''));
        return (
          <li key={`${account} ${key} ${on}`}>
            <StateWord tone="warn">{''}</StateWord>
            <a href={rowsOf({ accountId: account, subAccountKey: key, from: on, to: addDays(on, 1) })}>
              {w.gap(accountName(names, account, key), formatDay(language.value, on), amount)}
            </a>
          </li>
        );
      })}
      {gaps.length > GAPS_SHOWN && <li class="muted">{w.moreGaps(gaps.length - GAPS_SHOWN)}</li>}
    </>
  );
}
