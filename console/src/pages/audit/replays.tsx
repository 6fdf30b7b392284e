import { useEffect, useState } from 'preact/hooks';
import type { Replay } from '../../../../sdk/src/index.ts';
import { text } from '../../address.ts';
import { api, apiOf } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Select } from '../../parts/select.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { toastFailure } from '../../parts/toast.tsx';
import { company, mayWrite, person } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { auditWords } from './words.ts';

const SCHEMA = { replay: text };
/** A replay is no resource of the changes: it is asked how far it is. */
const ASK_AGAIN_MS = 1_000;

export function Replays() {
  const w = auditWords();
  const address = useAddress(SCHEMA);
  const id = address.values.replay;
  return (
    <div class="stack wide">
      <p class="muted">{w.replayIntro}</p>
      {mayWrite('audit:write') && <Start onStarted={(replay) => address.set({ replay })} />}
      {id !== undefined && <OneReplay key={id} id={id} />}
    </div>
  );
}

function Start({ onStarted }: { readonly onStarted: (id: string) => void }) {
  const w = auditWords();
  const companies = person.value?.companies ?? [];
  const [companyId, setCompanyId] = useState(company.value ?? companies[0]?.id ?? '');
  const [until, setUntil] = useState('');
  const [isBusy, setBusy] = useState(false);
  const start = async (): Promise<void> => {
    setBusy(true);
    try {
      const body = until === '' ? {} : { until: new Date(until).toISOString() };
      const { id } = await apiOf(companyId).startReplay(body);
      onStarted(id);
    } catch (error) {
      toastFailure(w.replayFailed, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="row at-end"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <Select
        label={w.company}
        value={companyId}
        choices={companies.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={setCompanyId}
      />
      <TextField label={w.until} type="datetime-local" value={until} onInput={setUntil} />
      <Button kind="primary" type="submit" busy={isBusy}>
        {w.startReplay}
      </Button>
    </form>
  );
}

function OneReplay({ id }: { readonly id: string }) {
  const w = auditWords();
  const load = useLoad(id, (signal) => api().getReplay(id, { signal }));
  const isRunning = load.data?.status === 'pending' || load.data?.status === 'processing';
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(load.reload, ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isRunning, load.at, load.reload]);
  return (
    <Loaded of={load} what={w.replayLoadFailed}>
      {(replay) => (
        <section class="stack" aria-live="polite">
          <p>
            <StateWord
              tone={replay.status === 'failed' || replay.equal === false ? 'bad' : isRunning ? 'warn' : 'good'}
            >
              {replay.equal === null ? w.replayStates[replay.status] : replay.equal ? w.equal : w.unequal}
            </StateWord>
          </p>
          {replay.error && <p class="bad small">{replay.error}</p>}
          {isRunning && <Progress label={w.replayEvents} done={replay.processedEvents} of={replay.totalEvents} />}
          {replay.readModels.length > 0 && <Models replay={replay} />}
        </section>
      )}
    </Loaded>
  );
}

function Models({ replay }: { readonly replay: Replay }) {
  const w = auditWords();
  return (
    <SimpleTable
      caption={w.model}
      rows={replay.readModels}
      keyOf={({ name }) => name}
      columns={[
        { key: 'name', title: w.model, cell: ({ name }) => <code>{name}</code> },
        { key: 'documents', title: w.documents, end: true, cell: ({ documents }) => documents },
        { key: 'live', title: w.liveDocuments, end: true, cell: ({ liveDocuments }) => liveDocuments },
        {
          key: 'result',
          title: w.result,
          cell: ({ equal, differences }) => (
            <StateWord tone={equal ? 'good' : 'bad'}>{equal ? w.same : w.differs(differences.length)}</StateWord>
          ),
        },
        {
          key: 'digest',
          title: w.digest,
          cell: ({ digest, differences }) =>
            differences.length === 0 ? (
              <code class="clip">{digest.slice(0, 12)}</code>
            ) : (
              <Code title={w.differs(differences.length)} value={differences} />
            ),
        },
      ]}
    />
  );
}
