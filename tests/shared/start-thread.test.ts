import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const CHILD = fileURLToPath(new URL('./start-thread-child.ts', import.meta.url));
const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

async function output(...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

describe('a thread', () => {
  it('runs in a process whose functions never get a faster wrapper for WebAssembly', async () => {
    const tag = 'v8.cachedDataVersionTag()';
    const [usual, without] = await Promise.all([
      output('--print', tag),
      output('--wasm-wrapper-tiering-budget=2147483647', '--print', tag),
    ]);
    expect(without).not.toBe(usual);
    expect(await output(CHILD)).toEqual({ here: without, there: without });
  });

  it('is started in one place only', () => {
    const starting = globSync('**/*.ts', { cwd: SOURCE }).filter((file) =>
      /\bnew Worker\(/.test(readFileSync(`${SOURCE}/${file}`, 'utf8')),
    );
    expect(starting).toEqual(['shared/start-thread.ts']);
  });
});
