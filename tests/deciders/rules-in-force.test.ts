import { describe, expect, it } from 'vitest';
import { type RuleVersion, rulesActiveAt, rulesDigest, rulesEffectiveAt } from '../../src/deciders/rules-in-force.ts';
import { AT, HASH } from '../support/facts.ts';

const version = (id: string, fromPosition: string, changes: Partial<RuleVersion> = {}): RuleVersion => ({
  ...{ id, version: Number(fromPosition), snapshotHash: HASH, status: 'active', archivedAt: null },
  ...{ effectiveFrom: AT, fromPosition, ...changes },
});

describe('the rules in force at a position', () => {
  it('are the versions that held there, by the ids of the rules', () => {
    const second = [version('b', '1'), version('b', '4')];
    const first = [version('a', '2'), version('a', '5')];
    expect(rulesActiveAt([second, first], '3')).toEqual([first[0], second[0]]);
    expect(rulesActiveAt([second, first], '4')).toEqual([first[0], second[1]]);
    expect(rulesActiveAt([second, first], '0')).toEqual([]);
  });

  it('are neither paused nor archived there', () => {
    const paused = [version('a', '1'), version('a', '2', { status: 'paused' }), version('a', '3')];
    const archived = [version('b', '1'), version('b', '2', { archivedAt: AT })];
    expect(rulesActiveAt([paused, archived], '1')).toEqual([paused[0], archived[0]]);
    expect(rulesActiveAt([paused, archived], '2')).toEqual([]);
    expect(rulesActiveAt([paused, archived], '3')).toEqual([paused[2]]);
  });

  it('apply to a transaction that was fetched when they began, or later', () => {
    const rule = version('a', '1');
    expect(rulesEffectiveAt([rule], AT)).toEqual([rule]);
    expect(rulesEffectiveAt([rule], '2026-01-05T09:59:59.999Z')).toEqual([]);
  });

  it('have a digest that another version of one of them changes', () => {
    const rules = [version('a', '1'), version('b', '2')];
    expect(rulesDigest(rules)).toBe(rulesDigest([version('a', '1'), version('b', '2')]));
    expect(rulesDigest(rules)).not.toBe(rulesDigest([version('a', '1'), version('b', '3')]));
  });
});
