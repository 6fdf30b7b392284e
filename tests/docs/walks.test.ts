import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const architecture = readFileSync('ARCHITECTURE.md', 'utf8');
const HOP = /^\| `(src\/[^`]+\.ts)` \| `(\w+)` \|/gm;

describe('ARCHITECTURE.md', () => {
  const hops = [...architecture.matchAll(HOP)].map(([, file = '', name = '']) => [file, name] as const);

  it('walks through the code', () => {
    expect(hops.length).toBeGreaterThan(20);
  });

  it.each(hops)('names %s and its function %s, which are there', (file, name) => {
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`(function\\*?|const) ${name}\\b`));
  });

  it('says what each folder of src holds', () => {
    for (const entry of readdirSync('src', { withFileTypes: true })) {
      expect(architecture).toContain(entry.isDirectory() ? `\`${entry.name}/\`` : `\`${entry.name}\``);
    }
  });
});
