import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { COMPANY, KEY, SECRET } from '../support/test-service.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const PRELOADED = new URL('../support/threads/ended-by-file.ts', import.meta.url).href;

let dataDir: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-threads-'));
});
afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  child = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

type Started = {
  readonly url: Promise<string>;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
};

function start(environment: Record<string, string> = {}, options: readonly string[] = []): Started {
  const started = spawn(process.execPath, [...options, '--import', PRELOADED, MAIN], {
    env: {
      ...CHILD_ENVIRONMENT,
      PORT: '0',
      DATA_DIR: dataDir,
      BOOTSTRAP_COMPANY_ID: COMPANY,
      BOOTSTRAP_API_KEY: KEY,
      BOOTSTRAP_API_SECRET: SECRET,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let [stdout, stderr] = ['', ''];
  const url = Promise.withResolvers<string>();
  url.promise.catch(() => {});
  started.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    const found = /"url":"(http[^"]+)"/.exec(stdout)?.[1];
    if (found !== undefined) url.resolve(found);
  });
  started.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(started, 'close').then(([code]) => {
    url.reject(new Error(`the service ended with ${code}: ${stdout}${stderr}`));
    return { code: code as number | null, stdout, stderr };
  });
  return { url: url.promise, ended };
}

const errorsIn = (output: string): { level: string; msg: string; err?: { message: string } }[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 'error' || level === 'fatal');

async function readiness(url: string): Promise<number> {
  return (await fetch(`${url}/health/ready`)).status;
}

describe('a service whose background thread ends by itself', () => {
  it.each(['throw', 'exit'])('ends with it, with one line: %s', async (how) => {
    const service = start({ END_THREAD: 'background', END_HOW: how });
    expect(await readiness(await service.url)).toBe(200);
    writeFileSync(join(dataDir, 'end'), '');
    const { code, stdout, stderr } = await service.ended;
    expect(code).toBe(1);
    expect(stderr).toBe('');
    const errors = errorsIn(stdout);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ level: 'fatal', msg: 'ending, since the background thread has ended' });
    expect(errors[0]?.err?.message).toMatch(how === 'throw' ? /ended by the test/ : /it ended with 0/);
  });

  it('has the heap of npm start in that thread as well, and says that it was not enough', async () => {
    const options = ['--max-semi-space-size=8', '--max-old-space-size=200'];
    const service = start({ END_THREAD: 'background', END_HOW: 'memory' }, options);
    expect(await readiness(await service.url)).toBe(200);
    writeFileSync(join(dataDir, 'end'), '');
    const { code, stdout } = await service.ended;
    expect(code).toBe(1);
    expect(errorsIn(stdout)[0]).toMatchObject({ level: 'fatal', msg: 'ending, since the background thread has ended' });
    expect(errorsIn(stdout)[0]?.err?.message).toMatch(/reaching memory limit/);
  });

  it('does not start where the thread cannot begin', async () => {
    const { code, stderr } = await start({ END_THREAD: 'background', END_HOW: 'at once' }).ended;
    expect(code).toBe(1);
    expect(stderr).toBe('could not start: ended by the test\n');
  });

  it('starts again on the same folder, and is ready', async () => {
    const first = start({ END_THREAD: 'background', END_HOW: 'throw' });
    await first.url;
    writeFileSync(join(dataDir, 'end'), '');
    await first.ended;
    rmSync(join(dataDir, 'end'));
    expect(await readiness(await start().url)).toBe(200);
  });
});

describe('a service whose main thread ends', () => {
  it('ends with an error where it threw, after both threads have closed their files', async () => {
    const service = start({ END_THREAD: 'main', END_HOW: 'throw' });
    await service.url;
    writeFileSync(join(dataDir, 'end'), '');
    const { code, stdout } = await service.ended;
    expect(code).toBe(1);
    expect(errorsIn(stdout).map(({ msg }) => msg)).toEqual(['stopping after an error']);
    expect(readdirSync(dataDir).filter((name) => name.endsWith('-wal'))).toEqual([]);
  });

  it('ends with 0 on a signal, after both threads have closed their files', async () => {
    const service = start();
    await service.url;
    child?.kill('SIGTERM');
    const { code, stdout, stderr } = await service.ended;
    expect([code, errorsIn(stdout), stderr]).toEqual([0, [], '']);
    expect(readdirSync(dataDir).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
  });

  it('leaves no file locked where it was killed', async () => {
    const first = start();
    await first.url;
    child?.kill('SIGKILL');
    await first.ended;
    expect(await readiness(await start().url)).toBe(200);
  });
});
