import type { EventData, KnownEvent } from '../../../src/events/registry.ts';
import { allOf, firstOf, type History, transactionAfter } from './history.ts';

type Recorded = EventData<'TransactionRecorded'>;

/** The conditions that the simulation's rules have, decided anew from the stored tree. */
export function matchesConditions(conditions: unknown, row: Recorded): boolean {
  const { combinator, children, field, value } = conditions as {
    combinator?: string;
    children?: unknown[];
    field?: string;
    value?: unknown;
  };
  if (children !== undefined) {
    const met = children.map((child) => matchesConditions(child, row));
    return combinator === 'any' ? met.includes(true) : !met.includes(false);
  }
  return field === 'incoming' ? row.incoming === value : (row.description ?? '').includes(String(value));
}

/** Each transaction is evaluated once, by the rules in force when it was recorded, and nothing is attached twice. */
export function checkAutomation(history: History): string[] {
  const faults: string[] = [];
  for (const [id, events] of history.of('bankTransaction')) {
    const recorded = events[0] as KnownEvent<'TransactionRecorded'>;
    const evaluated = allOf(events, 'TransactionAutomationEvaluated');
    const { automation, assignments } = transactionAfter(events);
    if (evaluated.length !== 1 || automation.status !== 'completed') {
      faults.push(`transaction ${id} was evaluated ${evaluated.length} times and is ${automation.status}`);
    }
    const expected = rulesFor(history, recorded);
    const found = (evaluated[0]?.data.matches ?? []).map(({ ruleId, ruleVersion }) => `${ruleId} ${ruleVersion}`);
    if (expected.sort().join() !== found.sort().join()) {
      faults.push(`transaction ${id} matches ${expected}, and was evaluated as ${found}`);
    }
    const active = assignments.filter((one) => one.active);
    const keys = active.map(({ origin, ruleId, referenceKey }) => `${origin} ${ruleId} ${referenceKey}`);
    if (new Set(keys).size !== keys.length) faults.push(`transaction ${id} has an assignment twice: ${keys}`);
    faults.push(...attachedAgain(events).map((ruleId) => `transaction ${id}: ${ruleId} attaches what was revoked`));
    const ids = assignments.map((one) => one.id);
    if (new Set(ids).size !== ids.length) faults.push(`transaction ${id} has an assignment id twice`);
  }
  return faults;
}

/** Rules that attached again what a person had revoked, with the same content. */
function attachedAgain(events: readonly KnownEvent[]): string[] {
  const revoked = new Set<string>();
  const again: string[] = [];
  for (const { type, data } of events) {
    if (type === 'TransactionAssignmentRevoked' && data.by === 'person') {
      revoked.add(`${data.ruleId} ${data.ruleSnapshotHash}`);
    } else if (type === 'TransactionAssignmentAttached' && data.origin === 'rule') {
      if (revoked.has(`${data.ruleId} ${data.ruleSnapshotHash}`)) again.push(String(data.ruleId));
    }
  }
  return again;
}

/** Those in force at the position of the row, with their versions. */
function rulesFor(history: History, { position, data }: KnownEvent<'TransactionRecorded'>): string[] {
  const found: string[] = [];
  for (const [id, events] of history.of('transactionRule')) {
    const before = events.filter((event) => event.position < position);
    const last = before.at(-1);
    if (last === undefined || firstOf(before, 'RuleArchived') !== undefined) continue;
    const content = before.findLast((event) => event.type === 'RuleCreated' || event.type === 'RuleChanged')
      ?.data as EventData<'RuleChanged'>;
    const status = before.findLast((event) => ['RuleCreated', 'RulePaused', 'RuleResumed'].includes(event.type));
    const isActive =
      status?.type === 'RuleResumed' || (status?.type === 'RuleCreated' && status.data.status === 'active');
    if (!isActive || content.effectiveFrom > data.fetchedAt) continue;
    if (matchesConditions(content.conditions, data)) found.push(`${id} ${(last.data as { version: number }).version}`);
  }
  return found;
}
