import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** `tests/a.test.ts`: *a part of a name*, *another one*; an ellipsis stands for any text. */
const CITED = /`(tests\/[\w./-]+\.ts)`: (\*[^*|]+\*(?:, \*[^*|]+\*)*)/g;

const security = readFileSync('docs/security.md', 'utf8');
const cited = [...security.matchAll(CITED)].flatMap(([, file = '', names = '']) =>
  [...names.matchAll(/\*([^*]+)\*/g)].map(([, name = '']) => [name, file] as const),
);

describe('docs/security.md', () => {
  it('cites tests', () => {
    expect(cited.length).toBeGreaterThan(20);
  });

  it.each(cited)('cites "%s", which is the name of a test in %s', (name, file) => {
    const parts = name.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(parts.join('.*')));
  });
});
