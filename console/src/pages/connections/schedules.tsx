import { useState } from 'preact/hooks';
import type { BankConnection, Schedule } from '../../../../sdk/src/index.ts';
import { api, apiOf } from '../../api/client.ts';
import { useChanges } from '../../api/use-changes.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { toastFailure } from '../../parts/toast.tsx';
import { mayWrite } from '../../session/session.ts';
import { NewSchedule } from './new-schedule.tsx';
import { NextTurns } from './next-turns.tsx';
import { connectionWords } from './words.ts';

/** When the connection is synced by itself, with the next turns written out. */
export function Schedules({ connection }: { readonly connection: BankConnection }) {
  const w = connectionWords();
  const { id, archivedAt } = connection;
  const load = useLoad(id, (signal) => api().listSchedules({ accountId: id, limit: 200 }, { signal }));
  useChanges(['schedule'], load.reload);
  const mayChange = mayWrite('schedules:write') && archivedAt === undefined;
  return (
    <Loaded of={load} what={w.schedulesFailed}>
      {({ items }) => (
        <div class="stack wide">
          {items.length === 0 && <p class="muted">{w.noSchedule}</p>}
          {items.map((schedule) => (
            <OneSchedule key={schedule.id} schedule={schedule} mayChange={mayChange} onChanged={load.reload} />
          ))}
          {mayChange && <NewSchedule connection={connection} isFirst={items.length === 0} onCreated={load.reload} />}
        </div>
      )}
    </Loaded>
  );
}

type Props = { readonly schedule: Schedule; readonly mayChange: boolean; readonly onChanged: () => void };

function OneSchedule({ schedule, mayChange, onChanged }: Props) {
  const w = connectionWords();
  const [isAsking, setAsking] = useState(false);
  const { id, companies, cron, everyMinutes, timezone, status, nextRunAt, lastOutcome, pausedReason } = schedule;
  const client = apiOf(companies);
  const change = (call: () => Promise<unknown>) => (): void => {
    setAsking(false);
    call().then(onChanged, (error: unknown) => toastFailure(w.scheduleChangeFailed, error));
  };
  const isActive = status === 'active';
  return (
    <section class="card stack" aria-label={cron ?? w.everyN(everyMinutes ?? 0)}>
      <div class="row between">
        <h3 class="row">
          {cron === null ? w.everyN(everyMinutes ?? 0) : <code>{cron}</code>} <span class="muted">{timezone}</span>
          <StateWord tone={isActive ? 'good' : 'warn'}>{isActive ? w.active : w.paused}</StateWord>
        </h3>
        {mayChange && (
          <div class="row">
            <Button onClick={change(() => client.runSchedule(id))}>{w.runNow}</Button>
            <Button onClick={change(() => (isActive ? client.pauseSchedule(id) : client.resumeSchedule(id)))}>
              {isActive ? w.pause : w.resume}
            </Button>
            <Button kind="danger" onClick={() => setAsking(true)}>
              {w.remove}
            </Button>
          </div>
        )}
      </div>
      {pausedReason && <p class="note">{w.pausedReasons[pausedReason]}</p>}
      <p class="small muted">
        {w.nextSync} <Moment at={nextRunAt} />
        {lastOutcome && ` · ${w.lastOutcome[lastOutcome]}`}
      </p>
      {isActive && (
        <NextTurns
          timing={cron === null ? { everyMinutes: everyMinutes ?? 5 } : { cron }}
          timezone={timezone}
          {...(cron === null && schedule.lastRunAt ? { from: schedule.lastRunAt } : {})}
        />
      )}
      {isAsking && (
        <Confirm
          title={w.removeTitle}
          action={w.remove}
          danger
          onConfirm={change(() => client.deleteSchedule(id))}
          onClose={() => setAsking(false)}
        >
          <p>{w.removeText}</p>
        </Confirm>
      )}
    </section>
  );
}
