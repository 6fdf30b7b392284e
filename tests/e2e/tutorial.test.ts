import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackedClient, oldestNode, type PackedClient } from '../sdk/packed-client.ts';
import {
  automationDone,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/keep-a-copy.md', import.meta.url), 'utf8');
const MOST_LINES = 60;

const halves = [
  { language: 'js', file: 'keep-a-copy.mjs', command: oldestNode },
  { language: 'python', file: 'keep_a_copy.py', command: async () => 'python3' },
] as const;

function programOf(language: string): string {
  const program = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(GUIDE)?.[1];
  if (program === undefined) throw new Error(`the guide holds no ${language}`);
  return program;
}

let api: TestService;
let packed: PackedClient;
let connection: string;
beforeAll(async () => {
  api = await startTestService();
  packed = await installPackedClient();
  connection = await connectDemoBank(api, { transactionsPerDay: 100 });
  await syncAndWait(api, connection, { from: '2026-01-01', to: '2026-01-08' });
  await automationDone(api);
});
afterAll(async () => {
  await api?.stop();
  packed?.remove();
});

type Copy = { readonly cursor: string; readonly transactions: Record<string, Record<string, unknown>> };

function run(command: string, file: string, copy: string, ...options: string[]) {
  const { url: BANK_URL } = api.service;
  const child = spawn(command, [join(packed.folder, file), ...options], {
    env: { ...process.env, BANK_URL, BANK_KEY: api.key, BANK_SECRET: api.secret, COPY: copy },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text));
  const ended = new Promise<{ code: number | null; output: string }>((done) =>
    child.once('close', (code) => done({ code, output })),
  );
  return { child, ended };
}

async function listed(): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const path: string = `/banks/transactions?limit=200${cursor && `&cursor=${cursor}`}`;
    type List = { items: { id: string; version: string }[]; nextCursor: string | null };
    const { result }: { result: List } = (await api.call<List>('GET', path)).body;
    for (const { id, version } of result.items) found.set(id, version);
    cursor = result.nextCursor;
  }
  return found;
}

const read = (copy: string): Copy => JSON.parse(readFileSync(copy, 'utf8')) as Copy;
const versions = ({ transactions }: Copy) =>
  new Map(Object.entries(transactions).map(([id, { version }]) => [id, version]));

it('the Node half of the tutorial needs the packed client and nothing else', () => {
  const packages = [...programOf('js').matchAll(/from '([^']+)'/g)].map(([, name = '']) => name);
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual(['bank-connection-client']);
});

describe.each(halves)('the $language half of the tutorial', ({ language, file, command }) => {
  it('has at most 60 lines', () => {
    expect(programOf(language).trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  });

  it('makes a copy from nothing, goes on where it stopped, and follows what changes', async () => {
    const { folder } = packed;
    writeFileSync(join(folder, file), programOf(language));
    const copy = join(folder, `${language}.json`);
    const program = await command();
    const first = await run(program, file, copy, '--once').ended;
    expect(first).toMatchObject({ code: 0, output: expect.stringContaining(' transactions') });
    const before = await listed();
    expect(before.size).toBeGreaterThanOrEqual(700);
    expect(versions(read(copy))).toEqual(before);

    const [id = ''] = before.keys();
    const reference = { source: 'erp', entityType: 'invoice', externalId: language };
    await api.call('POST', `/banks/transactions/${id}/assignments`, { reference });
    const following = run(program, file, copy);
    try {
      const { inserted } = (await syncAndWait(api, connection, nextDays())).counts;
      expect(inserted).toBeGreaterThan(0);
      await automationDone(api);
      const now = await listed();
      while (JSON.stringify([...versions(read(copy))].sort()) !== JSON.stringify([...now].sort())) {
        if (following.child.exitCode !== null) throw new Error((await following.ended).output);
        await new Promise((done) => setTimeout(done, 50));
      }
      expect(read(copy).transactions[id]).toMatchObject({ assignmentSummary: { count: expect.any(Number) } });
    } finally {
      following.child.kill('SIGKILL');
      await following.ended;
    }
  });
});

let days = 7;
function nextDays(): { from: string; to: string } {
  days += 1;
  const day = (nth: number): string => `2026-01-${String(nth).padStart(2, '0')}`;
  return { from: day(days), to: day(days + 1) };
}
