import { type ScheduleState, schedule } from '../../../src/deciders/schedule.ts';
import { type TransactionRuleState, transactionRule } from '../../../src/deciders/transaction-rule.ts';
import type { KnownEvent } from '../../../src/events/registry.ts';
import type { Acknowledged } from '../acknowledged.ts';
import { firstOf, type History, transactionAfter } from './history.ts';

/** Nothing acknowledged is lost, and what was asked for once is there once. */
export function checkAcknowledged(history: History, known: Acknowledged): string[] {
  const faults = [...known.wrongAnswers];
  for (const { what, position } of known.positions) {
    if (history.events.every((event) => event.position !== position)) faults.push(`${what}: no event at ${position}`);
  }
  faults.push(...checkNames(history, known));
  for (const rule of known.rules.filter(({ certain }) => certain)) {
    const events = history.of('transactionRule').get(rule.id) ?? [];
    const state = (events as KnownEvent<never>[]).reduce<TransactionRuleState>(
      transactionRule.evolve,
      transactionRule.initialState,
    );
    const { version, status, archived } = rule;
    if (state.version !== version || state.status !== status || state.archived !== archived) {
      faults.push(`${rule.name} was answered as ${version} ${status} ${archived}, and is ${JSON.stringify(state)}`);
    }
  }
  for (const one of known.schedules.filter(({ certain }) => certain)) {
    const events = history.of('schedule').get(one.id) ?? [];
    const state = (events as KnownEvent<never>[]).reduce<ScheduleState>(schedule.evolve, schedule.initialState);
    const status = state.deleted ? 'deleted' : state.status;
    const pausedItself = one.status === 'active' && status === 'paused';
    if (status !== one.status && !pausedItself) faults.push(`${one.title} was answered as ${one.status}, is ${status}`);
  }
  for (const { transactionId, assignmentId, revoked, certain } of known.assignments) {
    const state = transactionAfter(history.of('bankTransaction').get(transactionId) ?? []);
    const found = state.assignments.filter(({ id }) => id === assignmentId);
    if (found.length !== 1) faults.push(`assignment ${assignmentId} is there ${found.length} times`);
    else if (certain && found[0]?.active === revoked)
      faults.push(`assignment ${assignmentId}: revoked is not ${revoked}`);
  }
  for (const { id, type } of known.runs) {
    const requested = firstOf(history.of('ruleRun').get(id), 'RunRequested');
    if (requested?.type !== type) faults.push(`the ${type} ${id} is lost`);
  }
  return faults;
}

function checkNames(history: History, known: Acknowledged): string[] {
  const names = new Map<string, string[]>();
  const note = (name: string | null, id: string): void => {
    if (name !== null) names.set(name, [...(names.get(name) ?? []), id]);
  };
  for (const { type, data } of history.events) {
    if (type === 'ConnectionOpened') note(data.title, data.accountId);
    if (type === 'RuleCreated') note(data.name, data.ruleId);
    if (type === 'ScheduleCreated') note(data.title, data.scheduleId);
  }
  const faults = known.askedNames
    .filter(({ name }) => (names.get(name)?.length ?? 0) > 1)
    .map(({ name }) => `${name} was created ${names.get(name)?.length} times`);
  const answered = [
    ...known.connections.map(({ id, title }) => [title, id] as const),
    ...known.rules.map(({ id, name }) => [name, id] as const),
    ...known.schedules.map(({ id, title }) => [title, id] as const),
  ];
  for (const [name, id] of answered) {
    if (names.get(name)?.[0] !== id) faults.push(`${name} was answered as ${id} and is ${names.get(name) ?? 'lost'}`);
  }
  return faults;
}
