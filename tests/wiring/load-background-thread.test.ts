import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasBackgroundThread } from '../../src/wiring/load-background-thread.ts';

const SOURCE = join(import.meta.dirname, '../../src');
const IMPORT = /^import (?!type )[^;]*?['"](\.[^'"]+\.ts)['"];/gm;

/** The files of the service that a file loads before anything in it runs, itself included. */
function loadedBefore(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  const text = readFileSync(join(SOURCE, file), 'utf8');
  for (const [, path = ''] of text.matchAll(IMPORT)) loadedBefore(join(dirname(file), path), known);
  return known;
}

describe('the background thread', () => {
  it('begins to load before the code of the thread that answers is loaded', () => {
    const before = loadedBefore('main.ts');
    expect(before).toContain('wiring/load-background-thread.ts');
    expect(before).not.toContain('wiring/service.ts');
    expect(before.size).toBeLessThan(20);
    // What it is not to wait for is many times as much.
    expect(loadedBefore('wiring/service.ts').size).toBeGreaterThan(200);
  });

  it('is there only where one process does everything, and only if wanted', () => {
    const found = (['all', 'api', 'worker'] as const).flatMap((role) =>
      [true, false].map((backgroundThread) => hasBackgroundThread({ role, backgroundThread })),
    );
    expect(found).toEqual([true, false, false, false, false, false]);
  });
});
