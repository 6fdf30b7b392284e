import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const BANK = join(ROOT, 'cli/bank.ts');
/** Writes the address of every module that is loaded to standard error. */
const LIST_MODULES = `
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });
`;

async function modulesOf(...line: string[]): Promise<readonly string[]> {
  const preload = `data:text/javascript,${encodeURIComponent(LIST_MODULES)}`;
  const run = promisify(execFile)(process.execPath, ['--import', preload, BANK, ...line], {
    env: { ...process.env, BANK_URL: 'http://127.0.0.1:1', BANK_ACCESS_TOKEN: 'none' },
  });
  const { stderr } = await run.catch((failure: { stderr: string }) => failure);
  return stderr.split('\n').filter((url) => url.startsWith('file:'));
}

const ofTheService = (modules: readonly string[]) => modules.filter((url) => url.includes(`${ROOT}/src/`));

describe('bank', () => {
  it.each([['--version'], ['--help'], ['rules list'], ['completion bash']])(
    'loads nothing of the service for %s',
    async (line) => {
      const modules = await modulesOf(...line.split(' '));
      expect(modules.some((url) => url.endsWith('cli/bank.ts'))).toBe(true);
      expect(ofTheService(modules)).toEqual([]);
    },
  );

  it('loads the service for what opens its stores', async () => {
    expect(ofTheService(await modulesOf('folders', 'grant', 'none', '--tenant', 't', '--company', 'c'))).not.toEqual(
      [],
    );
  });
});
