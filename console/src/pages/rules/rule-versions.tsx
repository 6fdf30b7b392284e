import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleCondition, TransactionRule } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { fieldWord, operatorWord } from '../../parts/condition-words.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Select } from '../../parts/select.tsx';
import { ruleWords } from './words.ts';

/** How many versions can be chosen from: the newest. */
const LISTED = 200;

/** Two versions side by side; what only one of them says is marked. */
export function RuleVersions({ rule }: { readonly rule: TransactionRule }) {
  const w = ruleWords();
  const load = useLoad(`${rule.id} ${rule.version}`, (signal) =>
    api().listRuleVersions(rule.id, { limit: LISTED }, { signal }),
  );
  return (
    <Loaded of={load} what={w.versions.failed}>
      {({ items }) => (items.length < 2 ? <p class="muted">{w.versions.one}</p> : <SideBySide versions={items} />)}
    </Loaded>
  );
}

function SideBySide({ versions }: { readonly versions: readonly TransactionRule[] }) {
  const w = ruleWords();
  const sorted = versions.toSorted((one, other) => other.version - one.version);
  const [newer, setNewer] = useState(String(sorted[0]?.version));
  const [older, setOlder] = useState(String(sorted[1]?.version));
  const choices = sorted.map(({ version }) => ({ value: String(version), label: w.versionN(version) }));
  const find = (version: string) => sorted.find((one) => String(one.version) === version);
  const [left, right] = [find(older), find(newer)];
  if (left === undefined || right === undefined) return null;
  const [before, after] = [statements(left), statements(right)];
  const isSame = before.length === after.length && before.every((line) => after.includes(line));
  return (
    <>
      <div class="sides">
        <Side title={w.versions.older} version={left} lines={before} others={after} mark="del">
          <Select label={w.versions.older} value={older} choices={choices} onChange={setOlder} />
        </Side>
        <Side title={w.versions.newer} version={right} lines={after} others={before} mark="ins">
          <Select label={w.versions.newer} value={newer} choices={choices} onChange={setNewer} />
        </Side>
      </div>
      {isSame && <p class="muted">{w.versions.same}</p>}
    </>
  );
}

type SideProps = {
  readonly title: string;
  readonly version: TransactionRule;
  readonly lines: readonly string[];
  readonly others: readonly string[];
  readonly mark: 'del' | 'ins';
  readonly children: ComponentChildren;
};

function Side({ title, version, lines, others, mark: Mark, children }: SideProps) {
  return (
    <section aria-label={title} class="stack">
      {children}
      <p class="small muted">
        <Moment at={version.updatedAt} />
      </p>
      <ul class="statements">
        {lines.map((line) => (
          <li key={line}>{others.includes(line) ? line : <Mark>{line}</Mark>}</li>
        ))}
      </ul>
    </section>
  );
}

/** What a version says, one statement a line. */
function statements({ name, description, status, conditions, actions, tags }: TransactionRule): string[] {
  const w = ruleWords();
  return [
    `${w.name}: ${name}`,
    `${w.status}: ${w.states[status]}`,
    ...(description ? [`${w.description}: ${description}`] : []),
    ...conditionLines(conditions, 0),
    ...actions.map(({ reference }) => {
      const key = `${reference.source}:${reference.entityType}:${reference.externalId}`;
      return `${w.reference}: ${key}${reference.label ? ` (${reference.label})` : ''}`;
    }),
    ...(tags.length === 0 ? [] : [`${w.tags}: ${tags.join(', ')}`]),
  ];
}

type Group = { readonly combinator: 'all' | 'any' | 'none'; readonly children: readonly (RuleCondition | Group)[] };

function conditionLines({ combinator, children }: Group, depth: number): string[] {
  const w = ruleWords();
  const indent = '\u2003'.repeat(depth);
  return [
    `${indent}${w.combinators[combinator]}:`,
    ...children.flatMap((child) =>
      'children' in child ? conditionLines(child, depth + 1) : [`${indent}\u2003${conditionSentence(child)}`],
    ),
  ];
}

function conditionSentence({ field, operator, value }: RuleCondition): string {
  const shown = Array.isArray(value) ? value.join(', ') : typeof value === 'boolean' ? flagWord(field, value) : value;
  return [fieldWord(field), operatorWord(operator), shown].filter((part) => part !== undefined).join(' ');
}

function flagWord(field: RuleCondition['field'], value: boolean): string {
  const { incomingTrue, incomingFalse, yes, no } = ruleWords().flags;
  if (field === 'incoming') return value ? incomingTrue : incomingFalse;
  return value ? yes : no;
}
