import type { ConditionSubject } from '../deciders/conditions/condition.ts';
import { indexRules } from '../deciders/conditions/index-rules.ts';
import { type PreparedSubject, prepareSubject } from '../deciders/conditions/subject.ts';
import { rulesActiveAt, rulesDigest, rulesEffectiveAt } from '../deciders/rules-in-force.ts';
import { type RuleVersionDocument, ruleVersions } from '../projections/rules.ts';
import type { TransactionDocument } from '../projections/transactions.ts';
import { dropOldest } from '../shared/drop-oldest.ts';
import type { ReadModels } from './read-models.ts';

/** The rules in force at one log position, compiled. */
export type RuleSet = {
  readonly rules: readonly RuleVersionDocument[];
  /** See `rulesDigest`. */
  readonly digest: string;
  readonly matching: (prepared: PreparedSubject) => RuleVersionDocument[];
};

/** The rules of one company, as of one read of the read model. */
export type CompanyRules = {
  /**
   * What applies to a transaction that was recorded at the position and fetched at the time. Right only for positions
   * that the read model of rule versions had reached when it was read.
   */
  readonly inForce: (position: string, arrivedAt: string) => RuleSet;
};

export type RuleBook = { readonly open: (tenantId: string, companyId: string) => Promise<CompanyRules> };

type RulesInForce = { readonly active: readonly RuleVersionDocument[]; readonly effectiveFrom: readonly string[] };

const COMPANIES_KEPT = 200;
const SETS_KEPT = 8;
const PAGE = 500;

/** Caches the compiled rules of recently used companies; one lookup per use shows whether they are still current. */
export function openRuleBook(readModels: ReadModels): RuleBook {
  const companies = new Map<string, { changedPosition: string; rules: CompanyRules }>();
  return {
    async open(tenantId, companyId) {
      const collection = readModels.of(ruleVersions);
      const filter = [
        { field: 'tenantId', op: 'eq', value: tenantId },
        { field: 'companyId', op: 'eq', value: companyId },
      ] as const;
      const byPosition = (direction: 'asc' | 'desc') => [{ field: 'fromPosition', direction }] as const;
      const [newest] = await collection.find({ filter, sort: byPosition('desc'), limit: 1 });
      const changedPosition = newest?.fromPosition ?? '';
      const key = `${tenantId}/${companyId}`;
      const known = companies.get(key);
      if (known?.changedPosition === changedPosition) return known.rules;
      const versions: RuleVersionDocument[] = [];
      for await (const version of collection.iterate({ filter, sort: byPosition('asc'), pageSize: PAGE })) {
        versions.push(version);
      }
      const rules = companyRules([...Map.groupBy(versions, ({ id }) => id).values()]);
      companies.delete(key);
      companies.set(key, { changedPosition, rules });
      dropOldest(companies, COMPANIES_KEPT);
      return rules;
    },
  };
}

/**
 * Compiles a set once for each range of the log without a change of rules and, within it, for each number of rules
 * whose start date has passed.
 */
function companyRules(histories: readonly (readonly RuleVersionDocument[])[]): CompanyRules {
  const changes = histories.flatMap((versions) => versions.map((version) => version.fromPosition)).sort();
  const inForceByGeneration = new Map<number, RulesInForce>();
  const sets = new Map<string, RuleSet>();
  return {
    inForce(position, arrivedAt) {
      const nth = countUpTo(changes, position);
      let inForce = inForceByGeneration.get(nth);
      if (inForce === undefined) {
        const active = rulesActiveAt(histories, position);
        inForce = { active, effectiveFrom: active.map((rule) => rule.effectiveFrom).sort() };
        inForceByGeneration.set(nth, inForce);
        dropOldest(inForceByGeneration, SETS_KEPT);
      }
      const key = `${nth}/${countUpTo(inForce.effectiveFrom, arrivedAt)}`;
      const known = sets.get(key);
      if (known !== undefined) return known;
      const set = compile(rulesEffectiveAt(inForce.active, arrivedAt));
      sets.set(key, set);
      dropOldest(sets, SETS_KEPT);
      return set;
    },
  };
}

/** How many of the sorted texts are not greater than the bound. */
function countUpTo(sorted: readonly string[], bound: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compile(rules: readonly RuleVersionDocument[]): RuleSet {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const index = indexRules(rules);
  return {
    rules,
    digest: rulesDigest(rules),
    matching: (prepared) => index.matching(prepared).flatMap((id) => byId.get(id) ?? []),
  };
}

/** A transaction as conditions see it. */
export function subjectOf(transaction: TransactionDocument): PreparedSubject {
  return prepareSubject(transaction);
}

/** What live automation finds for a transaction, by the rules in force at the position at which it was recorded. */
export function evaluateByRules(
  rules: CompanyRules,
  transaction: ConditionSubject & Pick<TransactionDocument, 'recordedPosition' | 'fetchedAt'>,
) {
  const set = rules.inForce(transaction.recordedPosition, transaction.fetchedAt);
  const matched = set
    .matching(prepareSubject(transaction))
    .map((rule) => ({ ...rule, ruleId: rule.id, ruleVersion: rule.version }));
  return { rulesInForce: set.rules.length, rulesDigest: set.digest, matched };
}
