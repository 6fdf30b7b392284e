import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeRule, pauseRule, resumeRule } from '../../src/commands/change-rule.ts';
import { changeProfile } from '../../src/commands/change-user.ts';
import { metadataFor } from '../../src/commands/command.ts';
import { requestBackfill, requestRevert } from '../../src/commands/rule-runs.ts';
import { changeSchedule, pauseSchedule } from '../../src/commands/schedules.ts';
import { EventSchemaError } from '../../src/events/event.ts';
import { type EventType, eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import type { EventLog } from '../../src/log/log.ts';
import { type Category, streamName } from '../../src/log/streams.ts';
import { AT, createdRule, HASH, REFERENCE } from '../support/facts.ts';
import { contextOn, setClock } from '../support/small-reactor-services.ts';

const clock = setClock('2026-02-01T00:00:00.000Z');
/** What a newer release stores with everything: fields, and a type of event, that this one does not know. */
const MORE = { priority: 7, audience: { teams: ['treasury'] } };

let folder: string;
let log: EventLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'newer-'));
});
afterEach(async () => {
  await log.close();
  await rm(folder, { recursive: true });
});

/** Events as a newer release stored them, and then the log as this release opens it. */
async function storedByNewer(streams: [Category, string, { type: string; data: object }[]][]): Promise<void> {
  const file = join(folder, 'log.sqlite');
  const newer = openEmbeddedLog({ file, codec: { ...eventCodec, check: () => {} } });
  const context = contextOn(newer, clock);
  for (const [category, id, facts] of streams) {
    const events = facts.map(({ type, data }) => {
      const metadata = metadataFor(context, 'RuleCreated', 'company');
      return { id: context.newId(), type, data, metadata };
    });
    await newer.append({ stream: streamName(category, 'tenant', id), expected: 'no-stream', events });
  }
  await newer.close();
  log = openEmbeddedLog({ file, codec: eventCodec });
}

async function newest(category: Category, id: string, type: EventType): Promise<Record<string, unknown> | undefined> {
  const events = await log.readStream(streamName(category, 'tenant', id));
  return events.findLast((event) => event.type === type)?.data as Record<string, unknown> | undefined;
}

const rule = { type: 'RuleCreated', data: { ...createdRule().data, ...MORE } };

describe('a release that meets events with fields of a newer one', () => {
  it('changes, pauses and resumes a rule without losing them', async () => {
    await storedByNewer([['transactionRule', 'rule', [rule, { type: 'RuleExplained', data: { why: 'because' } }]]]);
    const context = contextOn(log, clock);
    expect(await changeRule(context, 'rule', 1, { name: 'Renamed' })).toMatchObject({ accepted: true });
    expect(await newest('transactionRule', 'rule', 'RuleChanged')).toMatchObject({ name: 'Renamed', ...MORE });
    expect(await pauseRule(context, 'rule', 2)).toMatchObject({ accepted: true });
    expect(await resumeRule(context, 'rule', 3)).toMatchObject({ accepted: true });
    expect(await changeRule(context, 'rule', 4, { tags: ['b'] })).toMatchObject({ accepted: true });
    expect(await newest('transactionRule', 'rule', 'RuleChanged')).toMatchObject({
      name: 'Renamed',
      tags: ['b'],
      version: 5,
      ...MORE,
    });
  });

  it('leaves the hash of what a rule does as the newer one made it, unless what it does is changed', async () => {
    await storedByNewer([['transactionRule', 'rule', [rule]]]);
    const context = contextOn(log, clock);
    await changeRule(context, 'rule', 1, { name: 'Renamed' });
    expect((await newest('transactionRule', 'rule', 'RuleChanged'))?.snapshotHash).toBe(HASH);
    await changeRule(context, 'rule', 2, { tags: ['b'] });
    expect((await newest('transactionRule', 'rule', 'RuleChanged'))?.snapshotHash).not.toBe(HASH);
  });

  it('drops a field that the newer one has removed', async () => {
    const { type: _, data } = createdRule();
    const { ruleId, status, createdAt, ...content } = data as never as Record<string, unknown>;
    const without = { type: 'RuleChanged', data: { ...content, version: 2, changedAt: AT } };
    await storedByNewer([['transactionRule', 'rule', [rule, without]]]);
    await changeRule(contextOn(log, clock), 'rule', 2, { name: 'Renamed' });
    expect(await newest('transactionRule', 'rule', 'RuleChanged')).not.toHaveProperty('priority');
    expect([ruleId, status, createdAt]).toHaveLength(3);
  });

  it('keeps nested fields that it does not change', async () => {
    const weighted = {
      ...createdRule().data,
      actions: [{ id: 'a', type: 'attach_reference', reference: REFERENCE, weight: 3 }],
    };
    await storedByNewer([['transactionRule', 'rule', [{ type: 'RuleCreated', data: weighted }]]]);
    expect(await changeRule(contextOn(log, clock), 'rule', 1, { name: 'Renamed' })).toMatchObject({ accepted: true });
    expect(await newest('transactionRule', 'rule', 'RuleChanged')).toMatchObject({ actions: [{ weight: 3 }] });
  });

  it('changes a schedule without losing them', async () => {
    const timing = { cron: null, everyMinutes: 60, timezone: 'UTC', anchorAt: AT, jitterSeconds: 30 };
    const created = {
      scheduleId: 's',
      accountId: 'c',
      title: null,
      timing,
      status: 'active',
      nextRunAt: AT,
      createdAt: AT,
    };
    await storedByNewer([['schedule', 's', [{ type: 'ScheduleCreated', data: { ...created, ...MORE } }]]]);
    const context = contextOn(log, clock);
    expect(await changeSchedule(context, 's', { title: 'Hourly' })).toMatchObject({ accepted: true });
    expect(await changeSchedule(context, 's', { everyMinutes: 90 })).toMatchObject({ accepted: true });
    expect(await pauseSchedule(context, 's')).toMatchObject({ accepted: true });
    expect(await newest('schedule', 's', 'ScheduleChanged')).toMatchObject({
      title: 'Hourly',
      timing: { everyMinutes: 90, jitterSeconds: 30 },
      ...MORE,
    });
  });

  it('changes a profile without losing them', async () => {
    const profile = { displayName: 'Ada', locale: null, timezone: null, defaultCompanyId: null, changedAt: AT };
    await storedByNewer([
      [
        'user',
        'u',
        [
          { type: 'UserCreated', data: { userId: 'u', email: 'a@example.com', role: 'admin', createdAt: AT } },
          { type: 'UserProfileChanged', data: { ...profile, ...MORE } },
        ],
      ],
    ]);
    expect(await changeProfile(contextOn(log, clock, null), 'u', { locale: 'tr' })).toMatchObject({ accepted: true });
    expect(await newest('user', 'u', 'UserProfileChanged')).toMatchObject({
      displayName: 'Ada',
      locale: 'tr',
      ...MORE,
    });
  });

  it('starts a backfill of a preview, and its revert, without losing them', async () => {
    const { conditions, actions } = createdRule().data as { conditions: object; actions: object[] };
    const requested = {
      runId: 'p',
      type: 'preview',
      ruleId: 'rule',
      ruleVersion: 1,
      ruleSnapshotHash: HASH,
      conditions,
      actions,
      tags: ['a'],
      scope: { from: null, to: null, accountIds: null, bankCodes: null },
      scopeHash: HASH,
      snapshotMaxId: '1',
      ordinal: null,
      previewRunId: null,
      revertsRunId: null,
      requestedAt: AT,
    };
    const done = [
      { type: 'RunStarted', data: { startedAt: AT, candidateCount: 0 } },
      { type: 'RunCompleted', data: { completedAt: AT } },
    ];
    await storedByNewer([
      ['transactionRule', 'rule', [rule]],
      ['ruleRun', 'p', [{ type: 'RunRequested', data: { ...requested, ...MORE } }, ...done]],
    ]);
    const context = contextOn(log, clock);
    const backfill = await requestBackfill(context, 'rule', 'p');
    if (!backfill.accepted) throw new Error(backfill.refused);
    const runId = backfill.state.requested?.runId ?? '';
    expect(await newest('ruleRun', runId, 'RunRequested')).toMatchObject({ type: 'backfill', ...MORE });
    const metadata = metadataFor(context, 'RunStarted', 'company');
    const events = done.map((fact) => ({ id: context.newId(), ...fact, metadata }));
    await log.append({ stream: streamName('ruleRun', 'tenant', runId), expected: 0, events });
    const revert = await requestRevert(context, runId);
    if (!revert.accepted) throw new Error(revert.refused);
    const revertId = revert.state.requested?.runId ?? '';
    expect(await newest('ruleRun', revertId, 'RunRequested')).toMatchObject({ type: 'revert', ...MORE });
  });

  it('adds none', async () => {
    await storedByNewer([['transactionRule', 'rule', [rule]]]);
    const context = contextOn(log, clock);
    const invented = { name: 'Renamed', priority: 8 } as never;
    await expect(changeRule(context, 'rule', 1, invented)).rejects.toThrow(EventSchemaError);
    await expect(changeRule(context, 'rule', 1, { urgent: true } as never)).rejects.toThrow(EventSchemaError);
    await expect(changeRule(context, 'rule', 1, { tags: [''] })).rejects.toThrow(EventSchemaError);
    expect(await newest('transactionRule', 'rule', 'RuleChanged')).toBeUndefined();
  });
});
