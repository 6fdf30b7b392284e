import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { projections } from '../../src/projections/all.ts';

const SOURCES = ['../../src/projections/', '../../src/projections/analytics/'];

function textOf(folder: string, ending: string): string {
  const url = new URL(folder, import.meta.url);
  const names = readdirSync(url).filter((name) => name.endsWith(ending));
  return names.map((name) => readFileSync(new URL(name, url), 'utf8')).join('\n');
}

const source = SOURCES.map((folder) => textOf(folder, '.ts')).join('\n');
const tests = textOf('./', '.test.ts');
const names = [...source.matchAll(/^export const (\w+)(?:: Projection<| = sums\()/gm)].map(([, name = '']) => name);

describe('every projection', () => {
  it('is found under the name of its export', () => {
    expect(names).toHaveLength(projections.length);
  });

  it.each(names)('%s is specified by the events given and the document that follows', (name) => {
    expect(tests).toMatch(new RegExp(`given\\(\\s*${name}(\\.projection)?,`));
  });
});
