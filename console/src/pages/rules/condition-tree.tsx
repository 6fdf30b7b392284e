import { useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { ConditionLine } from './condition-line.tsx';
import {
  type Combinator,
  type DraftFault,
  dropped,
  type GroupNode,
  isGroup,
  moved,
  type Node,
  newCondition,
  newGroup,
  replaced,
} from './draft.ts';
import type { TreeTools } from './tree-tools.ts';
import { ruleWords } from './words.ts';

type Props = {
  readonly top: GroupNode;
  readonly onChange: (top: GroupNode) => void;
  readonly faults: ReadonlyMap<number, DraftFault>;
  readonly disabled: boolean;
};

const COMBINATORS: readonly Combinator[] = ['all', 'any', 'none'];

/** The conditions of a rule as nested groups: by mouse, and by keyboard in the order in which they are read. */
export function ConditionTree({ top, onChange, faults, disabled }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const dragged = useRef<number | null>(null);

  /** The focus stays with the line that moved. */
  const move = (key: number, by: -1 | 1): void => {
    onChange(moved(top, key, by));
    requestAnimationFrame(() => root.current?.querySelector<HTMLElement>(`[data-node="${key}"] .grip`)?.focus());
  };
  const tools: TreeTools = {
    faults,
    disabled,
    set: (key, node) => onChange(replaced(top, key, node)),
    move,
    drag: {
      start: (key) => {
        dragged.current = key;
      },
      over: (key) => dragged.current !== null && dragged.current !== key,
      drop: (key) => {
        if (dragged.current !== null) onChange(dropped(top, dragged.current, key));
        dragged.current = null;
      },
    },
  };
  return (
    <div ref={root} class="conditions">
      <Group group={top} level={1} tools={tools} onRemove={null} />
    </div>
  );
}

type GroupProps = {
  readonly group: GroupNode;
  readonly level: number;
  readonly tools: TreeTools;
  readonly onRemove: (() => void) | null;
};

function Group({ group, level, tools, onRemove }: GroupProps) {
  const w = ruleWords();
  const { disabled, faults, set } = tools;
  const fault = faults.get(group.key);
  const add = (node: Node): void => set(group.key, { ...group, children: [...group.children, node] });
  const choices = COMBINATORS.map((value) => ({ value, label: w.combinators[value] }));
  return (
    <fieldset class="condition-group" data-node={group.key}>
      <legend class="hidden">{w.group}</legend>
      <div class="row between">
        <Segmented
          label={w.combinatorOf}
          value={group.combinator}
          choices={choices}
          disabled={disabled}
          onChange={(combinator) => set(group.key, { ...group, combinator: combinator as Combinator })}
        />
        {onRemove && !disabled && <Button kind="quiet" icon="close" label={w.removeGroup} onClick={onRemove} />}
      </div>
      <ul class="condition-list">
        {group.children.map((child, index) => (
          <li key={child.key} data-node={child.key}>
            {isGroup(child) ? (
              <Group group={child} level={level + 1} tools={tools} onRemove={() => set(child.key, null)} />
            ) : (
              <ConditionLine
                condition={child}
                number={index + 1}
                tools={tools}
                onRemove={level === 1 && group.children.length === 1 ? null : () => set(child.key, null)}
              />
            )}
          </li>
        ))}
      </ul>
      {fault && (
        <p class="bad small" role="alert">
          {w.faults[fault]}
        </p>
      )}
      {!disabled && (
        <div class="row">
          <Button kind="quiet" icon="add" onClick={() => add(newCondition())}>
            {w.addCondition}
          </Button>
          {level < 3 && (
            <Button kind="quiet" icon="add" onClick={() => add(newGroup())}>
              {w.addGroup}
            </Button>
          )}
        </div>
      )}
    </fieldset>
  );
}
