import { useState } from 'preact/hooks';
import type { RuleRun, TransactionRule } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { useChanges } from '../../api/use-changes.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Progress } from '../../parts/progress.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { toastFailure } from '../../parts/toast.tsx';
import { mayWrite } from '../../session/session.ts';
import { RunSamples } from './run-samples.tsx';
import { ruleWords } from './words.ts';

/** How many runs of a rule are shown. */
const SHOWN = 50;
const TONES = {
  pending: 'none',
  processing: 'warn',
  completed: 'good',
  retry: 'warn',
  dead: 'bad',
  cancelled: 'none',
} as const;

/** Preview, apply, take back: three steps, of which each builds on the one before, and the runs there were. */
export function RuleRuns({ rule }: { readonly rule: TransactionRule }) {
  const w = ruleWords().runs;
  const load = useLoad(rule.id, async (signal) => {
    const { items } = await apiOf(rule.companies).listRuleRuns({ ruleId: rule.id, limit: SHOWN }, { signal });
    return items;
  });
  useChanges(['run'], load.reload);
  return (
    <Loaded of={load} what={w.loadFailed}>
      {(runs) => (
        <div class="stack">
          <p class="muted">{w.intro}</p>
          <Steps rule={rule} runs={runs} onStarted={load.reload} />
          <h2>{w.history}</h2>
          {runs.length === 0 ? <p class="muted">{w.none}</p> : <History runs={runs} />}
        </div>
      )}
    </Loaded>
  );
}

type StepsProps = { readonly rule: TransactionRule; readonly runs: readonly RuleRun[]; readonly onStarted: () => void };

function Steps({ rule, runs, onStarted }: StepsProps) {
  const w = ruleWords().runs;
  const preview = runs.find(({ type }) => type === 'preview') ?? null;
  const backfill = preview === null ? null : (runs.find(({ previewRunId }) => previewRunId === preview.id) ?? null);
  const revert = backfill === null ? null : (runs.find(({ revertsRunId }) => revertsRunId === backfill.id) ?? null);
  const isStale = preview !== null && backfill === null && preview.ruleSnapshotHash !== rule.snapshotHash;
  const mayRun = mayWrite('rules:write') && rule.archivedAt === undefined;
  const client = apiOf(rule.companies);
  const start = (call: () => Promise<RuleRun>) =>
    call().then(onStarted, (error: unknown) => toastFailure(w.failed, error));
  return (
    <ol class="steps">
      <li>
        <h3>{w.preview}</h3>
        {mayRun && <PreviewForm onStart={(scope) => start(() => client.previewRule(rule.id, scope))} />}
        {preview && <RunState run={preview} onChanged={onStarted} />}
        {isStale && <p class="note">{w.stale}</p>}
      </li>
      <li>
        <h3>{w.backfill}</h3>
        {mayRun && (
          <Button
            kind="primary"
            disabled={preview?.status !== 'completed' || backfill !== null || isStale}
            onClick={() => start(() => client.backfillRule(rule.id, { previewRunId: preview?.id ?? '' }))}
          >
            {w.apply}
          </Button>
        )}
        {backfill && <RunState run={backfill} onChanged={onStarted} />}
      </li>
      <li>
        <h3>{w.revert}</h3>
        {mayRun && (
          <TakeBack
            run={backfill}
            disabled={backfill === null || revert !== null || !hasEnded(backfill)}
            onConfirm={() => start(() => client.revertRuleRun(backfill?.id ?? ''))}
          />
        )}
        {revert && <RunState run={revert} onChanged={onStarted} />}
      </li>
    </ol>
  );
}

function hasEnded({ status }: RuleRun): boolean {
  return status === 'completed' || status === 'cancelled' || status === 'dead';
}

function PreviewForm({ onStart }: { readonly onStart: (scope: { from?: string; to?: string }) => Promise<unknown> }) {
  const w = ruleWords().runs;
  const [scope, setScope] = useState<{ from: string; to: string }>({ from: '', to: '' });
  const [isBusy, setBusy] = useState(false);
  const given = Object.fromEntries(Object.entries(scope).filter(([, day]) => day !== ''));
  return (
    <form
      class="fields at-end"
      onSubmit={(event) => {
        event.preventDefault();
        setBusy(true);
        onStart(given).finally(() => setBusy(false));
      }}
    >
      <TextField label={w.from} type="date" value={scope.from} onInput={(from) => setScope({ ...scope, from })} />
      <TextField label={w.to} type="date" value={scope.to} onInput={(to) => setScope({ ...scope, to })} />
      <Button type="submit" busy={isBusy}>
        {w.start}
      </Button>
    </form>
  );
}

type TakeBackProps = {
  readonly run: RuleRun | null;
  readonly disabled: boolean;
  readonly onConfirm: () => Promise<unknown>;
};

function TakeBack({ run, disabled, onConfirm }: TakeBackProps) {
  const w = ruleWords().runs;
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button kind="danger" disabled={disabled} onClick={() => setAsking(true)}>
        {w.takeBack}
      </Button>
      {isAsking && run && (
        <Confirm
          title={w.takeBackTitle}
          action={w.takeBack}
          danger
          onConfirm={() => {
            setAsking(false);
            onConfirm();
          }}
          onClose={() => setAsking(false)}
        >
          <p>{w.takeBackText(run.attachedCount, run.revokedCount)}</p>
        </Confirm>
      )}
    </>
  );
}

function RunState({ run, onChanged }: { readonly run: RuleRun; readonly onChanged: () => void }) {
  const w = ruleWords().runs;
  const { status, type, processedCount, candidateCount = null, matchedCount, attachedCount, revokedCount } = run;
  const cancel = (): void => {
    apiOf(run.companies)
      .cancelRuleRun(run.id)
      .then(onChanged, (error: unknown) => toastFailure(w.cancelFailed, error));
  };
  return (
    <div class="stack" aria-live="polite">
      <StateWord tone={TONES[status]}>{w.states[status]}</StateWord>
      {run.lastError && <p class="small bad">{run.lastError}</p>}
      {hasEnded(run) ? (
        <p>{type === 'preview' ? w.would(matchedCount, revokedCount) : w.did(attachedCount, revokedCount)}</p>
      ) : (
        <>
          <Progress label={w.progress} done={processedCount} of={candidateCount} />
          {mayWrite('rules:write') && <Button onClick={cancel}>{w.cancel}</Button>}
        </>
      )}
      {hasEnded(run) && <RunSamples run={run} />}
    </div>
  );
}

function History({ runs }: { readonly runs: readonly RuleRun[] }) {
  const w = ruleWords().runs;
  return (
    <SimpleTable
      caption={w.history}
      rows={runs}
      keyOf={({ id }) => id}
      columns={[
        { key: 'when', title: w.when, cell: ({ createdAt }) => <Moment at={createdAt} /> },
        { key: 'what', title: w.what, cell: ({ type }) => w.types[type] },
        { key: 'version', title: ruleWords().version, end: true, cell: ({ ruleVersion }) => ruleVersion },
        {
          key: 'state',
          title: ruleWords().status,
          cell: ({ status }) => <StateWord tone={TONES[status]}>{w.states[status]}</StateWord>,
        },
        { key: 'candidates', title: w.candidates, end: true, cell: ({ processedCount }) => processedCount },
        { key: 'matched', title: w.matched, end: true, cell: ({ matchedCount }) => matchedCount },
        { key: 'attached', title: w.attached, end: true, cell: ({ attachedCount }) => attachedCount },
        { key: 'revoked', title: w.revoked, end: true, cell: ({ revokedCount }) => revokedCount },
      ]}
    />
  );
}
