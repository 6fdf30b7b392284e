import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '../../console/dist');
const SCRIPT_BYTES = 90 * 1_024;
const REFERENCE_BYTES = 40 * 1_024;
const STYLE_BYTES = 15 * 1_024;

type Chunk = { file: string; isEntry?: boolean; imports?: string[]; dynamicImports?: string[]; css?: string[] };

const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8'));
const gzipped = (file: string): number => gzipSync(readFileSync(join(DIST, file))).length;

/** A chunk and all that it imports at once. */
function closure(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const imported of manifest[name]?.imports ?? []) closure(imported, seen);
  return seen;
}

const entry = 'index.html';
const pages = Object.keys(manifest).filter((name) => /^src\/pages\/.*\/page\.tsx$/.test(name));

describe('what a page loads first, compressed', () => {
  it('is known for every page of the console', () => {
    const folders = readdirSync(join(DIST, '../src/pages')).filter((name) => !['parts', 'sign-in'].includes(name));
    expect(pages.map((name) => name.split('/')[2]).sort()).toEqual(folders.sort());
  });

  it.each(pages)('%s: at most 90 KB of script, with all that it loads later', (page) => {
    const chunks = closure(page, closure(entry));
    for (const name of [...chunks].flatMap((one) => manifest[one]?.dynamicImports ?? [])) {
      if (!pages.includes(name)) closure(name, chunks);
    }
    const bytes = [...chunks].reduce((sum, name) => sum + gzipped(manifest[name]?.file ?? ''), 0);
    expect(bytes).toBeLessThanOrEqual(SCRIPT_BYTES);
  });

  it('of the API reference: at most 40 KB of script, and nothing later', () => {
    const chunks = [...closure('docs.html')];
    expect(chunks.flatMap((one) => manifest[one]?.dynamicImports ?? [])).toEqual([]);
    const bytes = chunks.reduce((sum, name) => sum + gzipped(manifest[name]?.file ?? ''), 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(REFERENCE_BYTES);
  });

  it('is at most 15 KB of style for all pages and the reference together', () => {
    const styles = readdirSync(join(DIST, 'assets')).filter((name) => name.endsWith('.css'));
    const bytes = styles.reduce((sum, name) => sum + gzipped(`assets/${name}`), 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(STYLE_BYTES);
  });
});
