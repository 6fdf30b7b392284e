import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoPort } from '../../cli/demo/demo-port.ts';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';

const BANK = join(import.meta.dirname, '../../cli/bank.ts');
const UP = 'Up until you stop it';

type Run = {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves with all that was written so far once the text is in it; rejects when the process ends before. */
  readonly says: (text: string) => Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

function bank(args: readonly string[], environment: Record<string, string>): Run {
  const child = spawn(process.execPath, [BANK, ...args], {
    env: { ...CHILD_ENVIRONMENT, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      written += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) => {
    child.once('close', (code, signal) => done({ code, signal }));
  });
  const says = (text: string): Promise<string> =>
    new Promise((done, fail) => {
      const look = (): void => {
        if (written.includes(text)) done(written);
      };
      listeners.add(look);
      look();
      void ended.then(({ code }) => fail(new Error(`ended with ${code}: ${written}`)));
    });
  return { child, output: () => written, says, ended };
}

/** As a shell would take the line apart: the demo quotes with single quotes only. */
function requestOf(line: string): Request {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map((word) => word[1] ?? word[2] ?? '');
  const headers = new Headers();
  let [url, method] = ['', 'GET'];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-H') {
      const [name = '', value = ''] = (words[++at] ?? '').split(': ');
      headers.set(name, value);
    } else if (word === '-X') method = words[++at] ?? '';
    else if (word !== '-s') url = word;
  }
  return new Request(url, { method, headers });
}

function figure(output: string, title: string): number {
  return Number(new RegExp(`^${title}\\s+([\\d,]+)`, 'm').exec(output)?.[1]?.replaceAll(',', ''));
}

describe('bank demo', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bank-demo-'));
  const environment = { DATA_DIR: dataDir, PORT: '0' };
  let run: Run;
  let output: string;

  beforeAll(async () => {
    run = bank(['demo', '--transactions', '1200'], environment);
    output = await run.says(UP);
  });
  afterAll(() => {
    run.child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('fills two companies and reports what was imported and assigned', () => {
    expect(figure(output, 'Recorded')).toBeGreaterThanOrEqual(1_200);
    expect(figure(output, 'Recorded')).toBeLessThan(1_300);
    expect(output).toMatch(/ 26 {2}Statement files, Berlin \(EUR, EUR\), company demo-berlin/);
    expect(figure(output, 'Assigned')).toBeGreaterThan(50);
    const rules = output.split('\n').filter((line) => /^\s+[\d,]+ {2}.*\(erp:ledger-account:\d+\)$/.test(line));
    expect(rules).toHaveLength(5);
    for (const rule of rules) expect(rule).not.toMatch(/^\s+0 /);
  });

  it('prints requests that work', async () => {
    const lines = output.split('\n').filter((line) => line.startsWith('curl '));
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const answer = await fetch(requestOf(line));
      const { status, result } = (await answer.json()) as { status: boolean; result: Record<string, unknown> };
      expect([line, answer.status, status]).toEqual([line, 200, true]);
      if (line.includes('/explanation')) expect(result.evaluation).toMatchObject({ digestVerified: true });
      if (line.includes('/sync'))
        expect(result.syncHealth).toMatchObject({ lastResult: { inserted: expect.any(Number) } });
    }
    const docs = await fetch(/^Reference\s+(\S+)$/m.exec(output)?.[1] ?? '');
    expect(docs.status).toBe(200);
  });

  it('keeps its keys for the owner alone', () => {
    expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).toBe(0o600);
  });

  it('ends with 0 on SIGTERM, finds everything on a second start, and leaves a log in order', async () => {
    const before = Date.now();
    run.child.kill('SIGTERM');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(Date.now() - before).toBeLessThan(10_000);

    run = bank(['demo', '--transactions', '1200'], environment);
    const again = await run.says(UP);
    expect(again).toContain('nothing was added');
    // The pasted sync may have brought in rows of the minutes in between, and no others.
    const cameIn = figure(again, 'Recorded');
    expect(cameIn).toBeGreaterThanOrEqual(figure(output, 'Recorded'));
    expect(cameIn).toBeLessThan(figure(output, 'Recorded') + 3);
    expect(/x-api-secret: (\S+)/.exec(again)?.[1]).toBe(/x-api-secret: (\S+)/.exec(output)?.[1]);
    for (const line of again.split('\n').filter((one) => one.startsWith('curl '))) {
      expect((await fetch(requestOf(line))).status).toBe(200);
    }

    const busy = bank(['verify'], environment);
    expect(await busy.ended).toMatchObject({ code: 1 });
    expect(busy.output()).toContain('cannot be opened');
    run.child.kill('SIGTERM');
    expect(await run.ended).toMatchObject({ code: 0 });

    const verified = bank(['verify'], environment);
    expect(await verified.ended).toMatchObject({ code: 0 });
    expect(verified.output()).toMatch(/[\d,]+ events, the digest chain is unbroken/);

    const db = new DatabaseSync(join(dataDir, 'log.sqlite'));
    db.exec('UPDATE events SET recorded_at = recorded_at + 1 WHERE position = 40');
    db.close();
    const altered = bank(['verify'], environment);
    expect(await altered.ended).toMatchObject({ code: 1 });
    expect(altered.output()).toContain('position 40 was altered');
  });
});

describe('bank demo on data and ports that are not its own', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bank-demo-'));
  let taken: Server;
  beforeAll(async () => {
    taken = createServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
  });
  afterAll(() => {
    taken.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('refuses a port that was asked for and is taken, before it makes anything', async () => {
    const { port } = taken.address() as { port: number };
    const run = bank(['demo'], { DATA_DIR: dataDir, PORT: String(port) });
    expect(await run.ended).toMatchObject({ code: 1 });
    expect(run.output()).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect(readdirSync(dataDir).filter((name) => name !== 'demo.log')).toEqual([]);
  });

  it('takes the next free port when none is configured', async () => {
    const { port } = taken.address() as { port: number };
    expect(await demoPort('127.0.0.1', port, false)).toBeGreaterThan(port);
  });

  it('does not change the data of a service', async () => {
    writeFileSync(join(dataDir, 'log.sqlite'), 'not a log of the demo');
    const run = bank(['demo'], { DATA_DIR: dataDir, PORT: '0' });
    expect(await run.ended).toMatchObject({ code: 1 });
    expect(run.output()).toContain("is not the demo's");
    expect(readFileSync(join(dataDir, 'log.sqlite'), 'utf8')).toBe('not a log of the demo');
  });

  it('names each fault of the configuration and ends with 78', async () => {
    const run = bank(['demo'], { DATA_DIR: dataDir, PORT: 'x', LOG_LEVEL: 'loud' });
    expect(await run.ended).toMatchObject({ code: 78 });
    expect(run.output().trim().split('\n')).toHaveLength(2);
  });
});

describe('bank runs watch', () => {
  const run = { type: 'backfill', candidateCount: 1000, matchedCount: 12, attachedCount: 10, revokedCount: 1 };
  /** The runs endpoint, as far as the command uses it: it moves a step each time it is asked. */
  const steps = [
    { ...run, id: 'run-1', status: 'processing', processedCount: 500 },
    { ...run, id: 'run-1', status: 'completed', processedCount: 1000 },
  ];
  const asked: (string | undefined)[] = [];
  const service = createHttpServer((request, response) => {
    asked.push(`${request.url} ${request.headers['x-api-key']}`);
    const known = request.url === '/banks/rule-runs/run-1';
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    const failure = { status: false, code: 'RUN_NOT_FOUND', message: 'There is no such run.' };
    response.end(JSON.stringify(known ? { status: true, result: steps.shift() ?? steps.at(-1) } : failure));
  });
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(service.address() as { port: number }).port}`;
  });
  afterAll(() => service.close());
  const keys = { BANK_API_KEY: 'key', BANK_API_SECRET: 'secret' };

  it('shows how far the run is and how it ended', async () => {
    const watch = bank(['runs', 'watch', 'run-1', '--url', url], keys);
    expect(await watch.ended).toMatchObject({ code: 0 });
    expect(watch.output()).toBe(
      'backfill: 500 of about 1,000\nbackfill: 1,000, done\nbackfill run-1 completed: 12 matched, 10 attached, 1 revoked\n',
    );
    expect(asked[0]).toBe('/banks/rule-runs/run-1 key');
  });

  it('names what is missing: the run, the service or the credentials', async () => {
    const none = bank(['runs', 'watch', 'none', '--url', url], keys);
    expect(await none.ended).toMatchObject({ code: 4 });
    expect(none.output()).toContain('RUN_NOT_FOUND');
    const nowhere = bank(['runs', 'watch', 'run-1', '--url', 'http://127.0.0.1:9'], keys);
    expect(await nowhere.ended).toMatchObject({ code: 7 });
    expect(nowhere.output()).toContain('does not answer');
    const nobody = bank(['runs', 'watch', 'run-1', '--url', url], {});
    expect(await nobody.ended).toMatchObject({ code: 78 });
  });
});
