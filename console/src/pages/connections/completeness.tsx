import type { BankConnection, Completeness } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { addDays, dayIn } from '../../format/days.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Day } from '../../parts/moment.tsx';
import { Money } from '../../parts/money.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { to } from '../../router.ts';
import { timeZone } from '../../session/session.ts';
import { dayMarks } from './day-states.ts';
import { DayLegend, DayStrip } from './day-strip.tsx';
import { connectionWords } from './words.ts';

const CALENDAR_DAYS = 92;

/** A calendar for each account, and the days on which its balances and rows do not agree. */
export function CompletenessView({ connection }: { readonly connection: BankConnection }) {
  const w = connectionWords();
  const { id, syncHealth } = connection;
  const load = useLoad(`${id} ${syncHealth.lastSuccessAt}`, (signal) => api().getConnectionHealth(id, { signal }));
  return (
    <Loaded of={load} what={w.completeFailed}>
      {({ completeness }) => (
        <div class="stack wide">
          <DayLegend />
          {completeness.map((one) => (
            <AccountDays key={one.subAccountKey} connection={connection} completeness={one} />
          ))}
        </div>
      )}
    </Loaded>
  );
}

type Props = { readonly connection: BankConnection; readonly completeness: Completeness };

function AccountDays({ connection, completeness }: Props) {
  const w = connectionWords();
  const { subAccountKey, currency, status, gaps } = completeness;
  const account = connection.subAccounts.find((one) => one.subAccountKey === subAccountKey);
  const name = account?.accountName ?? account?.iban ?? account?.accountNo ?? subAccountKey;
  const today = dayIn(timeZone.value, new Date());
  const rowsOf = (day: string): string => {
    const query = new URLSearchParams({ accountId: connection.id, subAccountKey, from: day, to: addDays(day, 1) });
    return `${to('transactions')}?${query}`;
  };
  return (
    <section class="stack" aria-label={name}>
      <h3>
        {name} <span class="muted">{currency}</span>
      </h3>
      <DayStrip as="weeks" label={name} marks={dayMarks([completeness], today, CALENDAR_DAYS)} />
      <p>{status === 'unknown' ? w.unknownCompleteness : gaps.length === 0 ? w.noGaps : w.gapsFound(gaps.length)}</p>
      {gaps.length > 0 && (
        <SimpleTable
          caption={w.gapsFound(gaps.length)}
          rows={gaps}
          keyOf={({ day }) => day}
          columns={[
            {
              key: 'day',
              title: w.gapDay,
              cell: ({ day }) => (
                <a href={rowsOf(day)}>
                  <Day on={day} />
                </a>
              ),
            },
            {
              key: 'expected',
              title: w.expected,
              end: true,
              cell: ({ expectedBalance }) => <Money amount={expectedBalance} currency={currency} />,
            },
            {
              key: 'stated',
              title: w.stated,
              end: true,
              cell: ({ statedBalance }) => <Money amount={statedBalance} currency={currency} />,
            },
            {
              key: 'difference',
              title: w.difference,
              end: true,
              cell: ({ difference }) => <Money amount={difference} currency={currency} as="flow" />,
            },
          ]}
        />
      )}
    </section>
  );
}
