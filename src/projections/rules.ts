import { referenceKeyOf } from '../deciders/bank-transaction.ts';
import type { RuleContent } from '../deciders/transaction-rule.ts';
import type { EventType, KnownEvent } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { wordsOf } from '../shared/text-folding.ts';
import { type LogPlace, placed } from './log-place.ts';
import type { Projection } from './projection.ts';

/** A rule as it is, or, in `rule-versions`, as it was in one version. */
export type RuleRecord = RuleContent & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly id: string;
  readonly status: 'active' | 'paused';
  readonly version: number;
  readonly referenceKey: string;
  readonly targetSource: string;
  readonly targetEntityType: string;
  readonly targetExternalId: string;
  readonly archivedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string;
  readonly updatedBy: string;
};

export type RuleDocument = Document &
  RuleRecord &
  LogPlace & { readonly archived: boolean; readonly words: readonly string[] };

const TAKES = [
  'RuleCreated',
  'RuleChanged',
  'RulePaused',
  'RuleResumed',
  'RuleArchived',
] as const satisfies readonly EventType[];
type RuleEvent = (typeof TAKES)[number];

/** `referenceKey` and the target fields are the first action's. */
function target(content: RuleContent) {
  const [first] = content.actions;
  return {
    referenceKey: first === undefined ? '' : referenceKeyOf(first.reference),
    targetSource: first?.reference.source ?? '',
    targetEntityType: first?.reference.entityType ?? '',
    targetExternalId: first?.reference.externalId ?? '',
  };
}

/** The fold that both read models of rules share. */
function ruleAfter<Rule extends RuleRecord>(
  before: Rule | undefined,
  event: KnownEvent<RuleEvent>,
): RuleRecord | Rule | undefined {
  const updatedBy = event.metadata.actor.id;
  if (event.type === 'RuleCreated') {
    const { ruleId, createdAt, ...content } = event.data;
    return {
      tenantId: event.metadata.tenantId,
      companyId: event.metadata.companyId ?? '',
      id: ruleId,
      ...content,
      ...target(content),
      archivedAt: null,
      createdAt,
      updatedAt: createdAt,
      createdBy: updatedBy,
      updatedBy,
    };
  }
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'RuleChanged': {
      const { changedAt, ...content } = event.data;
      return { ...before, ...content, ...target(content), updatedAt: changedAt, updatedBy };
    }
    case 'RulePaused':
      return { ...before, status: 'paused', version: event.data.version, updatedAt: event.data.pausedAt, updatedBy };
    case 'RuleResumed':
      return { ...before, status: 'active', version: event.data.version, updatedAt: event.data.resumedAt, updatedBy };
    case 'RuleArchived': {
      const { version, archivedAt } = event.data;
      return { ...before, version, archivedAt, updatedAt: archivedAt, updatedBy };
    }
  }
}

export const rules: Projection<RuleDocument, RuleEvent> = {
  name: 'rules',
  version: 2,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    const rule = ruleAfter(document, event);
    if (rule === undefined) return undefined;
    const searched = {
      ...rule,
      _id: key,
      archived: rule.archivedAt !== null,
      words: wordsOf(`${rule.name} ${rule.description ?? ''}`),
    };
    return placed(document, searched, event);
  },
  indexes: [
    { fields: ['tenantId', 'createdAt'] },
    { fields: ['tenantId', '_position', '_id', 'companyId'] },
    { fields: ['tenantId', 'referenceKey', 'createdAt'] },
    { fields: ['tenantId', 'tags'], multi: true },
    { fields: ['tenantId', 'words'], multi: true },
  ],
};

/** One version of a rule, with the position from which it holds: the answer to "which rules were in force there". */
export type RuleVersionDocument = Document & RuleRecord & { readonly fromPosition: string };

/** The parts of a version's document id after the tenant; the digits make the order of ids that of versions. */
export function ruleVersionKey(ruleId: string, version: number): readonly [string, string] {
  return [ruleId, String(version).padStart(10, '0')];
}

export const ruleVersions: Projection<RuleVersionDocument, RuleEvent> = {
  name: 'rule-versions',
  version: 2,
  takes: TAKES,
  keys(event) {
    const ruleId = parseStreamName(event.stream).id;
    return [documentId(event.metadata.tenantId, ...ruleVersionKey(ruleId, event.data.version))];
  },
  base(key) {
    const [tenantId = '', ruleId = '', version = ''] = key.split('/');
    return Number(version) > 1 ? documentId(tenantId, ...ruleVersionKey(ruleId, Number(version) - 1)) : undefined;
  },
  evolve(previous, event, key) {
    const rule = ruleAfter<RuleRecord>(previous, event);
    return rule === undefined ? undefined : { ...rule, _id: key, fromPosition: event.position };
  },
  indexes: [{ fields: ['tenantId', 'companyId', 'fromPosition'] }, { fields: ['tenantId', 'id', 'version'] }],
};
