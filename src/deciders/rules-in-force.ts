import { canonicalJson, sha256 } from '../shared/hash.ts';

/** One version of a rule and the log position from which it applies. */
export type RuleVersion = {
  readonly id: string;
  readonly version: number;
  readonly snapshotHash: string;
  readonly status: 'active' | 'paused';
  readonly archivedAt: string | null;
  readonly effectiveFrom: string;
  readonly fromPosition: string;
};

/**
 * The rules in force at a position of the log: of each rule the version at that position, if it was active and not
 * archived. The answer never changes afterwards, so an evaluation may come late or be repeated.
 * @param histories each rule's versions, oldest first
 * @returns sorted by rule id
 */
export function rulesActiveAt<Version extends RuleVersion>(
  histories: readonly (readonly Version[])[],
  position: string,
): Version[] {
  return histories
    .map((versions) => versions.findLast((version) => version.fromPosition <= position))
    .filter((version) => version !== undefined)
    .filter((version) => version.status === 'active' && version.archivedAt === null)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Those of the active rules that apply to a transaction fetched at `arrivedAt` (ISO 8601 UTC). */
export function rulesEffectiveAt<Version extends RuleVersion>(
  active: readonly Version[],
  arrivedAt: string,
): Version[] {
  return active.filter((version) => version.effectiveFrom <= arrivedAt);
}

/** SHA-256 over ids, versions and snapshot hashes: proves afterwards which rules an evaluation used. */
export function rulesDigest(rules: readonly RuleVersion[]): string {
  return sha256(canonicalJson(rules.map(({ id, version, snapshotHash }) => [id, version, snapshotHash])));
}
