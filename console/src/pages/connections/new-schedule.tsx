import { useState } from 'preact/hooks';
import type { BankConnection } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import { Button } from '../../parts/button.tsx';
import { FailureText } from '../../parts/failure.tsx';
import { TextField } from '../../parts/field.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { toast } from '../../parts/toast.tsx';
import { timeZone } from '../../session/session.ts';
import { NextTurns } from './next-turns.tsx';
import { connectionWords } from './words.ts';

type Props = {
  readonly connection: BankConnection;
  readonly isFirst: boolean;
  readonly onCreated: () => void;
};

export function NewSchedule({ connection, isFirst, onCreated }: Props) {
  const w = connectionWords();
  const [isOpen, setOpen] = useState(false);
  const [kind, setKind] = useState<'interval' | 'cron'>('cron');
  const [minutes, setMinutes] = useState('60');
  const [cron, setCron] = useState('0 6 * * 1-5');
  const [zone, setZone] = useState(timeZone.value);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  if (!isOpen) {
    return (
      <div>
        <Button kind={isFirst ? 'primary' : 'plain'} icon="add" onClick={() => setOpen(true)}>
          {w.newSchedule}
        </Button>
      </div>
    );
  }
  const timing = kind === 'cron' ? { cron: cron.trim() } : { everyMinutes: Number(minutes) };
  const isComplete = kind === 'cron' ? cron.trim().split(/\s+/).length === 5 : /^[1-9]\d*$/.test(minutes);
  const save = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      const { id, companies } = connection;
      await apiOf(companies).createSchedule({ accountId: id, timezone: zone, ...timing });
      toast(w.scheduleCreated);
      setOpen(false);
      onCreated();
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  };
  const kinds = (['cron', 'interval'] as const).map((value) => ({ value, label: w.kinds[value] }));
  return (
    <form
      class="card stack"
      aria-label={w.newSchedule}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Segmented label={w.kind} value={kind} choices={kinds} onChange={(chosen) => setKind(chosen as typeof kind)} />
      <div class="fields">
        {kind === 'cron' ? (
          <TextField label={w.cron} value={cron} onInput={setCron} />
        ) : (
          <TextField label={w.everyMinutes} value={minutes} onInput={setMinutes} inputMode="numeric" />
        )}
        <TextField label={w.zone} value={zone} onInput={setZone} />
      </div>
      {isComplete && <NextTurns timing={timing} timezone={zone} />}
      {failure && (
        <div role="alert">
          <p class="bad">{w.scheduleFailed}</p>
          <FailureText failure={failure} />
        </div>
      )}
      <div class="row">
        <Button kind="primary" type="submit" busy={isBusy} disabled={!isComplete}>
          {w.createSchedule}
        </Button>
      </div>
    </form>
  );
}
