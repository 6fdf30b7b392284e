import { useContext, useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { fieldWord, operatorWord } from '../../parts/condition-words.ts';
import { Select } from '../../parts/select.tsx';
import { ConnectionsContext } from './connections-context.ts';
import type { ConditionNode } from './draft.ts';
import { FIELDS, type FieldName, isUnary, type Operator, operatorsOf, valueKind } from './fields.ts';
import type { TreeTools } from './tree-tools.ts';
import { ruleWords } from './words.ts';

type Props = {
  readonly condition: ConditionNode;
  readonly number: number;
  readonly tools: TreeTools;
  readonly onRemove: (() => void) | null;
};

/** Field, comparison, value. The grip moves it: by mouse, or with Alt and the arrows. */
export function ConditionLine({ condition, number, tools, onRemove }: Props) {
  const w = ruleWords();
  const [isOver, setOver] = useState(false);
  const { key, field, operator } = condition;
  const { disabled, faults, set, move, drag } = tools;
  const fault = faults.get(key);
  const change = (given: Partial<ConditionNode>): void => set(key, { ...condition, ...given });
  const chooseField = (name: string): void => {
    const chosen = name as FieldName;
    const operators = operatorsOf(chosen);
    const kept = operators.includes(operator) ? operator : (operators[0] ?? 'equals');
    const isSameKind = valueKind(field, operator) === valueKind(chosen, kept);
    change({ field: chosen, operator: kept, ...(isSameKind ? {} : { value: '', second: '' }) });
  };
  const chooseOperator = (name: string): void => {
    const chosen = name as Operator;
    const isSameKind = valueKind(field, operator) === valueKind(field, chosen);
    change({ operator: chosen, ...(isSameKind ? {} : { value: '', second: '' }) });
  };
  const byKey = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    move(key, event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    <div
      class={`condition-line ${isOver ? 'over' : ''}`}
      onKeyDown={disabled ? undefined : byKey}
      onDragOver={(event) => {
        if (!drag.over(key)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        drag.drop(key);
      }}
    >
      {!disabled && (
        <button
          type="button"
          class="grip"
          draggable
          title={w.drag}
          aria-label={`${w.condition(number)}. ${w.drag}`}
          onDragStart={(event) => {
            event.dataTransfer?.setData('text/plain', String(key));
            drag.start(key);
          }}
        >
          <span aria-hidden="true">⠿</span>
        </button>
      )}
      <Select
        bare
        label={w.field}
        value={field}
        disabled={disabled}
        choices={FIELDS.map((name) => ({ value: name, label: fieldWord(name) }))}
        onChange={chooseField}
      />
      <Select
        bare
        label={w.operator}
        value={operator}
        disabled={disabled}
        choices={operatorsOf(field).map((name) => ({ value: name, label: operatorWord(name) }))}
        onChange={chooseOperator}
      />
      {!isUnary(operator) && <ValueField condition={condition} disabled={disabled} onChange={change} />}
      {onRemove && !disabled && <Button kind="quiet" icon="close" label={w.removeCondition} onClick={onRemove} />}
      {fault && <p class="fault small muted">{w.faults[fault]}</p>}
    </div>
  );
}

type ValueProps = {
  readonly condition: ConditionNode;
  readonly disabled: boolean;
  readonly onChange: (given: Partial<ConditionNode>) => void;
};

function ValueField({ condition, disabled, onChange }: ValueProps) {
  const w = ruleWords();
  const connections = useContext(ConnectionsContext);
  const { field, operator, value, second } = condition;
  const kind = valueKind(field, operator);
  if (kind === 'flag') {
    const [yes, no] = field === 'incoming' ? [w.flags.incomingTrue, w.flags.incomingFalse] : [w.flags.yes, w.flags.no];
    const choices = [
      { value: 'true', label: yes },
      { value: 'false', label: no },
    ];
    return (
      <Select
        bare
        label={w.value}
        value={value === 'false' ? 'false' : 'true'}
        disabled={disabled}
        choices={choices}
        onChange={(chosen) => onChange({ value: chosen })}
      />
    );
  }
  if (kind === 'account' && connections.length > 0) {
    const known = connections.some(({ id }) => id === value);
    const choices = [
      ...(known ? [] : [{ value, label: value === '' ? '—' : value }]),
      ...connections.map(({ id, title }) => ({ value: id, label: title ?? id })),
    ];
    return (
      <Select
        bare
        label={w.value}
        value={value}
        disabled={disabled}
        choices={choices}
        onChange={(chosen) => onChange({ value: chosen })}
      />
    );
  }
  if (kind === 'list') {
    return (
      <textarea
        class="input value"
        rows={Math.min(8, Math.max(2, value.split('\n').length))}
        aria-label={`${w.value}. ${w.listHint}`}
        placeholder={w.listHint}
        value={value}
        disabled={disabled}
        onInput={(event) => onChange({ value: event.currentTarget.value })}
      />
    );
  }
  const type = kind === 'day' ? 'date' : 'text';
  const inputMode = kind === 'number' || kind === 'dayOfMonth' ? 'decimal' : 'text';
  return (
    <>
      <input
        class={`input value ${kind}`}
        type={type as 'text'}
        inputMode={inputMode as 'text'}
        aria-label={w.value}
        value={kind === 'day' ? value.slice(0, 10) : value}
        disabled={disabled}
        onInput={(event) => onChange({ value: event.currentTarget.value })}
      />
      {operator === 'between' && (
        <input
          class={`input value ${kind}`}
          type={type as 'text'}
          inputMode={inputMode as 'text'}
          aria-label={w.upper}
          value={kind === 'day' ? second.slice(0, 10) : second}
          disabled={disabled}
          onInput={(event) => onChange({ second: event.currentTarget.value })}
        />
      )}
    </>
  );
}
