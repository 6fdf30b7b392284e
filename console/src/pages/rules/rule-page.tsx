import { useState } from 'preact/hooks';
import type { TransactionRule } from '../../../../sdk/src/index.ts';
import { oneOf } from '../../address.ts';
import { api, apiOf } from '../../api/client.ts';
import { useChanges } from '../../api/use-changes.ts';
import { useLoad } from '../../api/use-load.ts';
import { asOf, withMoment } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { to } from '../../router.ts';
import { mayWrite } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { draftOf } from './draft.ts';
import { RuleEditor } from './rule-editor.tsx';
import { RuleRuns } from './rule-runs.tsx';
import { RuleState } from './rule-state.tsx';
import { RuleVersions } from './rule-versions.tsx';
import { ruleWords } from './words.ts';

const TABS = ['rule', 'runs', 'versions'] as const;
const SCHEMA = { tab: oneOf(TABS) };

/** A rule as it is now, or as it stood at the chosen moment. */
export function RulePage({ id }: { readonly id: string }) {
  const w = ruleWords();
  const at = asOf.value;
  const load = useLoad(`${id} ${at ?? ''}`, (signal) => loadRule(id, at, signal));
  useChanges(['rule'], (changes) => {
    if (changes.some((change) => change.id === id)) load.reload();
  });
  return (
    <>
      <p>
        <a class="row" href={withMoment(to('rules'))}>
          <Icon name="left" /> {w.back}
        </a>
      </p>
      <Loaded of={load} what={w.oneFailed}>
        {(rule) => <OneRule rule={rule} onChanged={load.reload} />}
      </Loaded>
    </>
  );
}

/** Of the past, the version that was in force then. @throws Error where there was none yet */
async function loadRule(id: string, at: string | null, signal: AbortSignal): Promise<TransactionRule> {
  if (at === null) return api().getRule(id, { signal });
  for await (const version of api().each.listRuleVersions(id, {}, { signal })) {
    if (Date.parse(version.updatedAt) <= Date.parse(at)) return version;
  }
  throw new Error(ruleWords().notYet);
}

function OneRule({ rule, onChanged }: { readonly rule: TransactionRule; readonly onChanged: () => void }) {
  const w = ruleWords();
  const address = useAddress(SCHEMA);
  const tab = address.values.tab ?? 'rule';
  // What is being edited stays when somebody else saves; it begins anew with what was saved here.
  const [editing, setEditing] = useState({ rule, turn: 0 });
  const begin = (from: TransactionRule): void => setEditing(({ turn }) => ({ rule: from, turn: turn + 1 }));
  return (
    <>
      <div class="row between rule-head">
        <h2 class="row">
          {rule.name} <RuleState rule={rule} /> <span class="muted small">{w.versionN(rule.version)}</span>
        </h2>
        <RuleActions
          rule={rule}
          onChanged={(changed) => {
            begin(changed);
            onChanged();
          }}
        />
      </div>
      <Tabs
        label={rule.name}
        tabs={TABS.map((value) => ({ value, label: w.tabs[value] }))}
        value={tab}
        onChange={(chosen) => address.set({ tab: chosen === 'rule' ? undefined : (chosen as (typeof TABS)[number]) })}
      >
        {tab === 'rule' && (
          <RuleEditor
            key={editing.turn}
            companyId={rule.companies}
            rule={editing.rule}
            start={draftOf(editing.rule)}
            onSaved={(saved) => {
              begin(saved);
              onChanged();
            }}
            onTheirs={() => begin(rule)}
          />
        )}
        {tab === 'runs' && <RuleRuns rule={rule} />}
        {tab === 'versions' && <RuleVersions rule={rule} />}
      </Tabs>
    </>
  );
}

type ActionsProps = { readonly rule: TransactionRule; readonly onChanged: (rule: TransactionRule) => void };

function RuleActions({ rule, onChanged }: ActionsProps) {
  const w = ruleWords();
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  if (!mayWrite('rules:write') || rule.archivedAt !== undefined) return null;
  const client = apiOf(rule.companies);
  const { id, name, version } = rule;
  const change = async (
    call: () => Promise<TransactionRule>,
    said: string,
    undo?: (changed: TransactionRule) => void,
  ) => {
    setBusy(true);
    try {
      const changed = await call();
      toast(said, undo && (() => undo(changed)));
      onChanged(changed);
    } catch (error) {
      toastFailure(w.changeFailed, error);
    } finally {
      setBusy(false);
      setAsking(false);
    }
  };
  const resume = (at: number) => change(() => client.resumeRule(id, { version: at }), w.resumed(name));
  const pause = () =>
    change(
      () => client.pauseRule(id, { version }),
      w.paused(name),
      (changed) => void resume(changed.version),
    );
  return (
    <div class="row">
      {rule.status === 'active' ? (
        <Button busy={isBusy} onClick={pause}>
          {w.pause}
        </Button>
      ) : (
        <Button busy={isBusy} onClick={() => resume(version)}>
          {w.resume}
        </Button>
      )}
      <Button kind="danger" onClick={() => setAsking(true)}>
        {w.archive}
      </Button>
      {isAsking && (
        <Confirm
          title={w.archiveTitle}
          action={w.archive}
          danger
          busy={isBusy}
          onConfirm={() => change(() => client.archiveRule(id, { version }), w.archivedToast(name))}
          onClose={() => setAsking(false)}
        >
          <p>{w.archiveText(name)}</p>
        </Confirm>
      )}
    </div>
  );
}
