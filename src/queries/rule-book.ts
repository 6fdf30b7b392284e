import { type IndexedRule, indexRules } from '../deciders/conditions/index-rules.ts';
import { type PreparedSubject, prepareSubject } from '../deciders/conditions/subject.ts';
import { rulesDigest, rulesInForce } from '../deciders/rules-in-force.ts';
import { type RuleVersionsDocument, ruleVersions } from '../projections/rules.ts';
import type { TransactionDocument } from '../projections/transactions.ts';
import type { Shelves } from './shelves.ts';

export type RuleVersionRecord = RuleVersionsDocument['versions'][number];

/** The rules in force at one place of the log, compiled. */
export type RuleSet = {
  readonly rules: readonly RuleVersionRecord[];
  /** See `rulesDigest`. */
  readonly digest: string;
  readonly matching: (prepared: PreparedSubject) => RuleVersionRecord[];
};

export type RuleBook = {
  /**
   * What applies to a transaction of the company that was recorded at the position and fetched at the time. Right only once the read model
   * of rule versions has passed that position.
   */
  readonly inForce: (at: {
    tenantId: string;
    companyId: string;
    position: string;
    arrivedAt: string;
  }) => Promise<RuleSet>;
};

type Company = {
  readonly changedPosition: string;
  readonly histories: readonly RuleVersionsDocument['versions'][];
  readonly sets: Map<string, RuleSet>;
};

const COMPANIES_KEPT = 200;
const SETS_KEPT = 8;
const PAGE = 500;

/** Keeps the compiled rules of the companies last asked for; one look a call tells whether they are still the newest. */
export function openRuleBook(shelves: Shelves): RuleBook {
  const companies = new Map<string, Company>();

  async function company(tenantId: string, companyId: string): Promise<Company> {
    const shelf = shelves.shelf(ruleVersions);
    const filter = [
      { field: 'tenantId', op: 'eq', value: tenantId },
      { field: 'companyId', op: 'eq', value: companyId },
    ] as const;
    const sort = [{ field: 'changedPosition', direction: 'desc' }] as const;
    const [newest] = await shelf.find({ filter, sort, limit: 1 });
    const changedPosition = newest?.changedPosition ?? '';
    const key = `${tenantId}/${companyId}`;
    const known = companies.get(key);
    if (known?.changedPosition === changedPosition) return known;
    const histories: RuleVersionsDocument['versions'][] = [];
    for await (const document of shelf.iterate({ filter, sort, pageSize: PAGE })) histories.push(document.versions);
    const fresh = { changedPosition, histories, sets: new Map() };
    companies.delete(key);
    companies.set(key, fresh);
    keepNewest(companies, COMPANIES_KEPT);
    return fresh;
  }

  return {
    async inForce({ tenantId, companyId, position, arrivedAt }) {
      const { histories, sets } = await company(tenantId, companyId);
      const era = eraOf(histories, position, arrivedAt);
      const known = sets.get(era);
      if (known !== undefined) return known;
      const rules = rulesInForce(histories, position, arrivedAt);
      const set = compile(rules);
      sets.set(era, set);
      keepNewest(sets, SETS_KEPT);
      return set;
    },
  };
}

/** Two moments with the same era have the same rules in force: the same number of changes before them, and of rules effective. */
function eraOf(histories: Company['histories'], position: string, arrivedAt: string): string {
  let changes = 0;
  let effective = 0;
  for (const versions of histories) {
    for (const version of versions) {
      if (version.fromPosition > position) break;
      changes += 1;
      if (version.effectiveFrom <= arrivedAt) effective += 1;
    }
  }
  return `${changes}/${effective}`;
}

function compile(rules: readonly RuleVersionRecord[]): RuleSet {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const index = indexRules(rules.map(({ id, conditions }) => ({ id, conditions }) as IndexedRule));
  return {
    rules,
    digest: rulesDigest(rules),
    matching: (prepared) => index.matching(prepared).flatMap((id) => byId.get(id) ?? []),
  };
}

function keepNewest(map: Map<string, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}

/** A transaction as conditions see it. */
export function subjectOf(transaction: TransactionDocument): PreparedSubject {
  return prepareSubject(transaction);
}
