import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const DECIDERS = new URL('../../src/deciders/', import.meta.url);
const TESTS = new URL('./', import.meta.url);

function textOf(folder: URL, ending: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
}

const source = textOf(DECIDERS, '.ts');
const tests = textOf(TESTS, '.test.ts');
const bodies = tests.replaceAll(/^import [\s\S]*?;$/gm, '');
const namesIn = (pattern: RegExp) => [...source.matchAll(pattern)].map(([, name = '']) => name);
const deciders = namesIn(/^export const (\w+): Decider</gm);
/** Functions that answer with facts or a refusal. */
const decisions = namesIn(/^export function (\w+)\((?:[^)]|\)(?!:))*\): (?:\w+Outcome|Refusal \| null) \{/gm);

describe('every decider', () => {
  it('is found', () => {
    expect(deciders.length).toBeGreaterThan(9);
    expect(decisions.length).toBeGreaterThan(40);
  });

  it.each(deciders)('%s is specified by what is given, when and then', (name) => {
    expect(tests).toContain(`specification(${name})`);
  });

  it.each(decisions)('the decision %s stands in a test', (name) => {
    expect(bodies).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
