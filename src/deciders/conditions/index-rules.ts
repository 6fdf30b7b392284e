import { type Condition, type ConditionGroup, isGroup } from '../../events/conditions.ts';
import { type CompiledConditions, compileConditions } from './compile-conditions.ts';
import { isTrigram, type Probe, probeKeys, probeName, type RequiredTerms, requiredTermsOf } from './required-terms.ts';
import type { PreparedSubject } from './subject.ts';

export type IndexedRule = { readonly id: string; readonly conditions: ConditionGroup };

export type RuleIndex = {
  readonly size: number;
  /**
   * Ids of the rules that could match, in the order given: none that matches is missing, few that do not are included.
   */
  readonly candidates: (prepared: PreparedSubject) => string[];
  /** Ids of the rules that match, in the order the rules were given. */
  readonly matching: (prepared: PreparedSubject) => string[];
  readonly get: (id: string) => CompiledConditions | undefined;
};

type Postings = Map<string | bigint, number[]>;

/**
 * Rules by a condition that must hold for them to match: an equality, one of a list, or a fragment of a text to be
 * contained. A subject looks up its own values and fragments, so its cost grows with the number of possible matches,
 * not of rules. A rule without such a condition (only ranges, negations, short or no texts) is tried each time. @throws
 * ConditionError, PatternError for conditions that `checkConditions` refuses
 */
export function indexRules(rules: readonly IndexedRule[]): RuleIndex {
  const compiled = rules.map(({ conditions }) => compileConditions(conditions));
  const byId = new Map(rules.map(({ id }, ordinal) => [id, compiled[ordinal]]));
  const frequencies = countKeys(rules);
  const slots = new Map<string, { probe: Probe; postings: Postings }>();
  const always: number[] = [];
  for (const [ordinal, rule] of rules.entries()) {
    const required = cheapest(rule.conditions, frequencies, rules.length);
    if (required === null) always.push(ordinal);
    for (const key of required?.keys ?? []) {
      const slot = slots.get(probeName(key)) ?? { probe: key.probe, postings: new Map() };
      slots.set(probeName(key), slot);
      const posting = slot.postings.get(key.value);
      if (posting === undefined) slot.postings.set(key.value, [ordinal]);
      else if (posting.at(-1) !== ordinal) posting.push(ordinal);
    }
  }
  const seenAt = new Uint32Array(rules.length);
  let lookup = 0;

  function ordinals(prepared: PreparedSubject): number[] {
    lookup = (lookup + 1) >>> 0;
    if (lookup === 0) {
      seenAt.fill(0);
      lookup = 1;
    }
    const found = [...always];
    for (const { probe, postings } of slots.values()) {
      probeKeys(probe, prepared, (value) => {
        for (const ordinal of postings.get(value) ?? []) {
          if (seenAt[ordinal] === lookup) continue;
          seenAt[ordinal] = lookup;
          found.push(ordinal);
        }
      });
    }
    return found.sort((a, b) => a - b);
  }

  const idsOf = (found: readonly number[]) => found.flatMap((ordinal) => rules[ordinal]?.id ?? []);
  return {
    size: rules.length,
    candidates: (prepared) => idsOf(ordinals(prepared)),
    matching: (prepared) =>
      idsOf(ordinals(prepared).filter((ordinal) => compiled[ordinal]?.matches(prepared) === true)),
    get: (id) => byId.get(id),
  };
}

type Chosen = { readonly keys: RequiredTerms; readonly cost: number };
type Frequencies = Map<string, Map<string | bigint, number>>;

function countKeys(rules: readonly IndexedRule[]): Frequencies {
  const frequencies: Frequencies = new Map();
  const visit = (node: Condition | ConditionGroup): void => {
    if (isGroup(node)) {
      node.children.forEach(visit);
      return;
    }
    for (const key of requiredTermsOf(node).flat()) {
      const slot = frequencies.get(probeName(key)) ?? new Map<string | bigint, number>();
      frequencies.set(probeName(key), slot);
      slot.set(key.value, (slot.get(key.value) ?? 0) + 1);
    }
  };
  for (const { conditions } of rules) visit(conditions);
  return frequencies;
}

/**
 * Of the sets of keys of which a match must have at least one, the most selective. `all`: the set of any child. `any`:
 * the union of all children's sets. `none`: no such set.
 */
function cheapest(node: Condition | ConditionGroup, frequencies: Frequencies, rules: number): Chosen | null {
  if (!isGroup(node)) {
    const options = requiredTermsOf(node).map((keys) => ({ keys, cost: costOf(keys, frequencies, rules) }));
    return least(options);
  }
  if (node.combinator === 'none') return null;
  const children = node.children.map((child) => cheapest(child, frequencies, rules));
  if (node.combinator === 'all') return least(children.filter((child) => child !== null));
  if (children.includes(null)) return null;
  const present = children.filter((child) => child !== null);
  return { keys: present.flatMap(({ keys }) => keys), cost: present.reduce((sum, { cost }) => sum + cost, 0) };
}

function least(options: readonly Chosen[]): Chosen | null {
  return options.reduce<Chosen | null>((best, next) => (best === null || next.cost < best.cost ? next : best), null);
}

function costOf(keys: RequiredTerms, frequencies: Frequencies, rules: number): number {
  return keys.reduce((sum, key) => {
    const shared = frequencies.get(probeName(key))?.get(key.value) ?? 0;
    // A flag is true for about half of all subjects and a day of the month for one in thirty, however few rules use it.
    const floor = key.probe.kind === 'flag' ? rules / 2 : key.probe.kind === 'day' ? rules / 31 : 0;
    return sum + Math.max(shared, floor) + (isTrigram(key.probe) ? 0.5 : 0);
  }, 0);
}
