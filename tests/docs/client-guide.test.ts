import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { COMPANY, startTestService, type TestService } from '../support/test-service.ts';

const run = promisify(execFile);
const CLIENT = fileURLToPath(new URL('../../sdk/src/index.ts', import.meta.url));
const guide = readFileSync(new URL('../../docs/guides/client.md', import.meta.url), 'utf8');
const examples = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

let api: TestService;
let folder: string;
let file: string;

beforeAll(async () => {
  api = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'guide-'));
  file = join(folder, 'guide.mts');
  const program = examples.join('\n').replace("'bank-connection-client'", JSON.stringify(CLIENT));
  writeFileSync(file, `${program}\nexport {};\n`);
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the guide for the client', () => {
  it('has examples that are of the right types', async () => {
    const config = { extends: join(process.cwd(), 'tsconfig.json'), include: [file] };
    const types = { compilerOptions: { typeRoots: [join(process.cwd(), 'node_modules/@types')] }, ...config };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(types));
    const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc');
    const answer = await run(process.execPath, [compiler, '-p', folder]).catch((error: { stdout: string }) => error);
    expect(answer.stdout).toBe('');
  });

  it('has examples that run against the service, and whose checks hold', async () => {
    const env = { ...CHILD_ENVIRONMENT, BASE_URL: api.service.url, KEY: api.key, SECRET: api.secret, COMPANY };
    const { stdout } = await run(process.execPath, [file], { env });
    const said = stdout.trim().split('\n');
    expect(said).toHaveLength(examples.join('').match(/^ *console\.log\(/gm)?.length ?? 0);
    for (const line of said) expect(line).toMatch(/^true( true)*$/);
  });
});
