import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The files of a folder that send requests by themselves, instead of through the client of `sdk/`. */
function senders(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => /\bfetch\(|node:https?\b|XMLHttpRequest/.test(readFileSync(join(ROOT, path), 'utf8')))
    .sort();
}

describe('the service is called through the client', () => {
  it('by the command line, which keeps the headers of the last answer', () => {
    expect(senders('cli')).toEqual(['cli/service/with-client.ts']);
  });

  it('by the console, which renews its token; the reference page sends what a person wrote, and nothing else', () => {
    expect(senders('console/src')).toEqual([
      'console/src/api/client.ts',
      'console/src/reference/document.ts',
      'console/src/reference/send.ts',
    ]);
  });
});
