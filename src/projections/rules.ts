import { referenceKeyOf } from '../deciders/bank-transaction.ts';
import type { RuleContent } from '../deciders/transaction-rule.ts';
import type { EventType, KnownEvent } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { wordsOf } from '../shared/text-folding.ts';
import type { Projection } from './projection.ts';

/** A rule as it is, or, in `rule-versions`, as it was. */
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

export type RuleDocument = Document & RuleRecord & { readonly archived: boolean; readonly words: readonly string[] };

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
  version: 1,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    const rule = ruleAfter(document, event);
    if (rule === undefined) return undefined;
    return {
      ...rule,
      _id: key,
      archived: rule.archivedAt !== null,
      words: wordsOf(`${rule.name} ${rule.description ?? ''}`),
    };
  },
  indexes: [
    { fields: ['tenantId', 'createdAt'] },
    { fields: ['tenantId', 'referenceKey', 'createdAt'] },
    { fields: ['tenantId', 'tags'], multi: true },
    { fields: ['tenantId', 'words'], multi: true },
  ],
};

/**
 * All versions of one rule, oldest first, each with the position it holds from: the answer to "which rules were in
 * force there".
 */
export type RuleVersionsDocument = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly ruleId: string;
  /** Position of its newest version, so that "has any rule changed" is one lookup. */
  readonly changedPosition: string;
  readonly versions: readonly (RuleRecord & { readonly fromPosition: string })[];
};

export const ruleVersions: Projection<RuleVersionsDocument, RuleEvent> = {
  name: 'rule-versions',
  version: 1,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    const rule = ruleAfter(document?.versions.at(-1), event);
    if (rule === undefined) return undefined;
    const { tenantId, companyId, id: ruleId } = rule;
    const version = { ...rule, fromPosition: event.position };
    const changedPosition = event.position;
    return {
      _id: key,
      tenantId,
      companyId,
      ruleId,
      changedPosition,
      versions: [...(document?.versions ?? []), version],
    };
  },
  indexes: [{ fields: ['tenantId', 'companyId', 'changedPosition'] }],
};
