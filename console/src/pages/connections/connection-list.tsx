import type { BankConnection, Completeness, Schedule } from '../../../../sdk/src/index.ts';
import { flag } from '../../address.ts';
import { api } from '../../api/client.ts';
import { collect } from '../../api/collect.ts';
import { useChanges } from '../../api/use-changes.ts';
import { useLoad } from '../../api/use-load.ts';
import { dayIn } from '../../format/days.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Check } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { navigate, to } from '../../router.ts';
import { company, may, mayWrite, nameOfCompany, timeZone } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { dayMarks } from './day-states.ts';
import { DayStrip } from './day-strip.tsx';
import { Health, HealthReason } from './health.tsx';
import { connectionWords } from './words.ts';

const STRIP_DAYS = 30;
const SCHEMA = { archived: flag };

type Card = {
  readonly connection: BankConnection;
  readonly completeness: readonly Completeness[];
  readonly schedule: Schedule | null;
};

async function cards(signal: AbortSignal): Promise<Card[]> {
  const client = api();
  const connections = await collect(client.each.listConnections({ limit: 200 }, { signal }));
  const schedules = may('schedules:read') ? await collect(client.each.listSchedules({ limit: 200 }, { signal })) : [];
  const healths = await Promise.all(
    connections.map(({ id, archivedAt }) =>
      archivedAt === undefined ? client.getConnectionHealth(id, { signal }).catch(() => null) : null,
    ),
  );
  return connections.map((connection, index) => ({
    connection,
    completeness: healths[index]?.completeness ?? [],
    schedule:
      schedules
        .filter(({ accountId, nextRunAt }) => accountId === connection.id && nextRunAt !== null)
        .toSorted((one, other) => String(one.nextRunAt).localeCompare(String(other.nextRunAt)))[0] ?? null,
  }));
}

/** A card for each connection: how it is, when it syncs, and the last 30 days. */
export function ConnectionList() {
  const w = connectionWords();
  const address = useAddress(SCHEMA);
  const load = useLoad(`connections ${company.value ?? ''}`, cards);
  useChanges(['connection', 'schedule'], load.reload);
  const add = mayWrite('connections:write') && (
    <Button kind="primary" icon="add" onClick={() => navigate(to('connections', 'new'))}>
      {w.add}
    </Button>
  );
  return (
    <Loaded of={load} what={w.failed} skeleton={<Skeleton as="block" lines={3} />}>
      {(all) => {
        const shown = all.filter(({ connection }) => address.values.archived === true || !connection.archivedAt);
        return (
          <>
            <div class="tools">
              {all.some(({ connection }) => connection.archivedAt) && (
                <Check
                  label={w.showArchived}
                  checked={address.values.archived === true}
                  onChange={(archived) => address.set({ archived: archived || undefined })}
                />
              )}
              <div class="right">{shown.length > 0 && add}</div>
            </div>
            {shown.length === 0 ? (
              <Empty action={add}>{w.empty}</Empty>
            ) : (
              <ul class="connection-cards">
                {shown.map((card) => (
                  <ConnectionCard key={card.connection.id} {...card} />
                ))}
              </ul>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function ConnectionCard({ connection, completeness, schedule }: Card) {
  const w = connectionWords();
  const { id, title, companies, subAccounts, syncHealth } = connection;
  const today = dayIn(timeZone.value, new Date());
  return (
    <li class="card stack">
      <div>
        <h2>
          <a href={to('connections', id)}>{title}</a>
        </h2>
        <p class="small muted">
          {nameOfCompany(companies)} · {w.accountCount(subAccounts.length)}
        </p>
      </div>
      <Health connection={connection} />
      <HealthReason connection={connection} />
      <Facts
        rows={[
          [w.lastSync, <Moment key="last" at={syncHealth.lastSuccessAt} fresh />],
          [w.nextSync, schedule === null ? w.byHand : <Moment key="next" at={schedule.nextRunAt} />],
        ]}
      />
      {completeness.length > 0 && <DayStrip label={w.lastDays} marks={dayMarks(completeness, today, STRIP_DAYS)} />}
    </li>
  );
}
