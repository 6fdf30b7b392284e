import { readFileSync } from 'node:fs';
import type { NewEvent } from '../../src/events/event.ts';
import { currentVersion, type EventType } from '../../src/events/registry.ts';
import type { EventLog } from '../../src/log/log.ts';
import { type Category, streamName } from '../../src/log/streams.ts';
import { newId } from '../../src/shared/ids.ts';

const GOLDEN = new URL('../events/golden/', import.meta.url);

const samples = new Map<string, object>();
function sample(type: EventType): object {
  let data = samples.get(type);
  if (data === undefined) {
    const text = readFileSync(new URL(`${type}.v${currentVersion(type)}.json`, GOLDEN), 'utf8');
    data = (JSON.parse(text) as { data: object }).data;
    samples.set(type, data);
  }
  return data;
}

type Own = { readonly id: string; readonly companyId: string };

/** A tenant in whose log anything that the change feed shows may happen, at random. */
export type ChangingTenant = {
  /** Appends some events that fit what happened before; returns the position of the last one. */
  readonly happen: () => Promise<string>;
};

export function changingTenant(log: EventLog, tenantId: string, random: () => number): ChangingTenant {
  const revisions = new Map<string, number>();
  const connections: Own[] = [];
  const transactions: (Own & { attached: string[] })[] = [];
  const rules: (Own & { version: number })[] = [];
  const schedules: Own[] = [];
  const syncs: (Own & { accountId: string })[] = [];
  const runs: Own[] = [];
  let ordinal = 0;

  const oneOf = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];
  const company = (): string => (random() < 0.7 ? 'company-a' : 'company-b');

  async function append(
    category: Category,
    id: string,
    companyId: string,
    facts: readonly { type: EventType; data?: object }[],
  ): Promise<string> {
    const stream = streamName(category, tenantId, id);
    const revision = revisions.get(stream) ?? -1;
    revisions.set(stream, revision + facts.length);
    const events = facts.map(({ type, data = {} }): NewEvent => {
      const actor = { type: 'system', id: 'test' } as const;
      const metadata = { schemaVersion: currentVersion(type), tenantId, companyId, actor };
      const ids = { correlationId: newId(), causationId: null };
      return { id: newId(), type, data: { ...sample(type), ...data }, metadata: { ...metadata, ...ids } };
    });
    const result = await log.append({ stream, expected: revision < 0 ? 'no-stream' : revision, events });
    if (result.outcome !== 'appended') throw new Error(`${stream} was not at revision ${revision}`);
    return result.position;
  }

  const happenings: readonly (() => Promise<string> | undefined)[] = [
    () => {
      const own = { id: newId(), companyId: company() };
      connections.push(own);
      return append('bankConnection', own.id, own.companyId, [
        { type: 'ConnectionOpened', data: { accountId: own.id, title: own.id } },
      ]);
    },
    () => {
      const own = oneOf(connections);
      const type = random() < 0.8 ? 'ConnectionRenamed' : 'ConnectionArchived';
      return own && append('bankConnection', own.id, own.companyId, [{ type }]);
    },
    () => {
      const connection = oneOf(connections);
      if (connection === undefined) return undefined;
      const own = { id: newId(), companyId: connection.companyId, accountId: connection.id };
      syncs.push(own);
      ordinal += 1;
      const data = { syncId: own.id, accountId: own.accountId, ordinal };
      return append('syncRun', own.id, own.companyId, [{ type: 'SyncRequested', data }]);
    },
    () => {
      const own = oneOf(syncs);
      const type = random() < 0.5 ? 'SyncPageIngested' : 'SyncCompleted';
      return own && append('syncRun', own.id, own.companyId, [{ type, data: { accountId: own.accountId } }]);
    },
    async () => {
      const news = Array.from({ length: 1 + Math.floor(random() * 8) }, () => ({
        id: newId(),
        companyId: company(),
        attached: [] as string[],
      }));
      transactions.push(...news);
      const positions = await Promise.all(
        news.map(({ id, companyId }) =>
          append('bankTransaction', id, companyId, [{ type: 'TransactionRecorded', data: { transactionId: id } }]),
        ),
      );
      return positions.sort().at(-1) ?? '';
    },
    () => {
      const own = oneOf(transactions);
      const type = random() < 0.5 ? 'TransactionWithdrawn' : 'TransactionRelisted';
      return own && append('bankTransaction', own.id, own.companyId, [{ type }]);
    },
    () => {
      const own = oneOf(transactions);
      if (own === undefined) return undefined;
      const ids = [newId(), newId()];
      own.attached.push(...ids);
      const attached = ids.map((assignmentId) => ({
        type: 'TransactionAssignmentAttached' as const,
        data: { assignmentId },
      }));
      return append('bankTransaction', own.id, own.companyId, attached);
    },
    () => {
      const own = oneOf(transactions.filter(({ attached }) => attached.length > 0));
      const assignmentId = own?.attached.shift();
      const data = { assignmentId };
      return own && append('bankTransaction', own.id, own.companyId, [{ type: 'TransactionAssignmentRevoked', data }]);
    },
    () => {
      const own = { id: newId(), companyId: company(), version: 1 };
      rules.push(own);
      return append('transactionRule', own.id, own.companyId, [{ type: 'RuleCreated', data: { ruleId: own.id } }]);
    },
    () => {
      const own = oneOf(rules);
      if (own === undefined) return undefined;
      own.version += 1;
      const type = oneOf(['RulePaused', 'RuleResumed', 'RuleArchived'] as const) ?? 'RulePaused';
      return append('transactionRule', own.id, own.companyId, [{ type, data: { version: own.version } }]);
    },
    () => {
      const own = { id: newId(), companyId: company() };
      runs.push(own);
      return append('ruleRun', own.id, own.companyId, [{ type: 'RunRequested', data: { runId: own.id } }]);
    },
    () => {
      const own = oneOf(runs);
      return own && append('ruleRun', own.id, own.companyId, [{ type: 'RunStarted' }, { type: 'RunCompleted' }]);
    },
    () => {
      const own = { id: newId(), companyId: company() };
      schedules.push(own);
      return append('schedule', own.id, own.companyId, [{ type: 'ScheduleCreated', data: { scheduleId: own.id } }]);
    },
    () => {
      const own = oneOf(schedules);
      return own && append('schedule', own.id, own.companyId, [{ type: 'ScheduleDeleted' }]);
    },
    () => {
      const own = oneOf(schedules);
      const data = { scheduleId: own?.id };
      return own && append('scheduleRun', newId(), own.companyId, [{ type: 'ScheduleRunQueued', data }]);
    },
  ];

  return {
    async happen() {
      for (;;) {
        const position = await oneOf(happenings)?.();
        if (position !== undefined) return position;
      }
    },
  };
}
