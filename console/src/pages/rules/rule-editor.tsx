import { useEffect, useMemo, useState } from 'preact/hooks';
import { isBankError, type TransactionRule } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import { Button } from '../../parts/button.tsx';
import { FailureText } from '../../parts/failure.tsx';
import { TextField } from '../../parts/field.tsx';
import { toast } from '../../parts/toast.tsx';
import { mayWrite } from '../../session/session.ts';
import { ConditionTree } from './condition-tree.tsx';
import { bodyOf, conditionsOf, type Draft, draftOf, faultsOf } from './draft.ts';
import { LiveMatches } from './live-matches.tsx';
import { ruleWords } from './words.ts';

type Props = {
  readonly companyId: string;
  /** The version in force; null for a new rule. */
  readonly rule: TransactionRule | null;
  readonly start: Draft;
  readonly onSaved: (rule: TransactionRule) => void;
  /** Somebody else saved meanwhile, and theirs is to be shown. */
  readonly onTheirs: () => void;
};

/** Left what is edited, right what it matches. What was typed is only dropped when one says so. */
export function RuleEditor({ companyId, rule, start, onSaved, onTheirs }: Props) {
  const w = ruleWords();
  const [draft, setDraft] = useState(start);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [newest, setNewest] = useState<number | null>(null);
  const disabled = !mayWrite('rules:write') || rule?.archivedAt !== undefined;
  const faults = useMemo(() => faultsOf(draft.top), [draft.top]);
  const conditions = useMemo(() => conditionsOf(draft.top), [draft.top]);
  const others = rule?.actions.slice(1) ?? [];
  const body = bodyOf(draft, others);
  const isChanged = rule === null || JSON.stringify(body) !== JSON.stringify(bodyOf(draftOf(rule), others));
  useLeaveWarning(isChanged && draft !== start);

  const set = (given: Partial<Draft>): void => setDraft({ ...draft, ...given });
  const save = async (version: number | null): Promise<void> => {
    if (body === null) return;
    setSaving(true);
    setFailure(null);
    try {
      const api = apiOf(companyId);
      const saved =
        rule === null
          ? await api.createRule(body)
          : await api.changeRule(rule.id, { ...body, version: version ?? rule.version });
      setNewest(null);
      toast(rule === null ? w.created(saved.name) : w.saved(saved.version));
      onSaved(saved);
    } catch (error) {
      if (isBankError(error, 'RULE_VERSION_CONFLICT')) setNewest(Number(error.meta.currentVersion));
      else setFailure(failureOf(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <form
      class="rule-editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (!disabled && body !== null) save(null);
      }}
    >
      <div class="stack">
        <TextField
          label={w.name}
          value={draft.name}
          maxLength={120}
          disabled={disabled}
          onInput={(name) => set({ name })}
          fault={draft !== start && draft.name.trim() === '' ? w.nameMissing : null}
        />
        <h2>{w.when}</h2>
        <ConditionTree top={draft.top} faults={faults} disabled={disabled} onChange={(top) => set({ top })} />
        <h2>{w.attach}</h2>
        <ReferenceFields draft={draft} disabled={disabled} onChange={set} />
        {others.length > 0 && <p class="muted small">{w.more(others.length)}</p>}
        <TextField
          label={w.description}
          value={draft.description}
          maxLength={500}
          lines={2}
          disabled={disabled}
          onInput={(description) => set({ description })}
        />
        {newest !== null && (
          <div class="note stack" role="alert">
            <p>{w.conflict(newest)}</p>
            <div class="row">
              <Button kind="primary" busy={isSaving} onClick={() => save(newest)}>
                {w.conflictKeep(newest + 1)}
              </Button>
              <Button onClick={onTheirs}>{w.conflictTheirs}</Button>
            </div>
          </div>
        )}
        {failure !== null && (
          <div role="alert">
            <p class="bad">{w.saveFailed}</p>
            <FailureText failure={failure} />
          </div>
        )}
        {!disabled && (
          <div class="row editor-actions">
            <Button kind="primary" type="submit" busy={isSaving} disabled={body === null || !isChanged}>
              {rule === null ? w.create : w.save}
            </Button>
            {rule !== null && isChanged && <Button onClick={() => setDraft(draftOf(rule))}>{w.revert}</Button>}
          </div>
        )}
      </div>
      {!disabled && <LiveMatches companyId={companyId} conditions={conditions} rule={rule} />}
    </form>
  );
}

type FieldsProps = {
  readonly draft: Draft;
  readonly disabled: boolean;
  readonly onChange: (given: Partial<Draft>) => void;
};

function ReferenceFields({ draft, disabled, onChange }: FieldsProps) {
  const w = ruleWords();
  return (
    <div class="fields">
      <TextField
        label={w.source}
        value={draft.source}
        hint={w.sourceHint}
        maxLength={64}
        disabled={disabled}
        onInput={(source) => onChange({ source })}
      />
      <TextField
        label={w.entityType}
        value={draft.entityType}
        hint={w.entityHint}
        maxLength={64}
        disabled={disabled}
        onInput={(entityType) => onChange({ entityType })}
      />
      <TextField
        label={w.externalId}
        value={draft.externalId}
        maxLength={256}
        disabled={disabled}
        onInput={(externalId) => onChange({ externalId })}
      />
      <TextField
        label={w.label}
        value={draft.label}
        maxLength={200}
        disabled={disabled}
        onInput={(label) => onChange({ label })}
      />
      <TextField
        label={w.tags}
        value={draft.tags}
        hint={w.tagsHint}
        disabled={disabled}
        onInput={(tags) => onChange({ tags })}
      />
    </div>
  );
}

/** The browser asks before a page with unsaved changes is closed. */
function useLeaveWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
}
