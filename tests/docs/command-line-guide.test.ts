import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { firstAdmin, signIn } from '../support/signed-in.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

const BANK = join(import.meta.dirname, '../../cli/bank.ts');
const guide = readFileSync(new URL('../../docs/guides/command-line.md', import.meta.url), 'utf8');
const examples = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code = '']) => code);

type Done = { readonly code: number | null; readonly out: string; readonly err: string };

let api: TestService;
let folder: string;
let environment: Record<string, string>;

function shell(script: string, more: Record<string, string | undefined> = {}, input = ''): Promise<Done> {
  // As `npm run` has it, `node` is the one that the repository brings along.
  const preamble = `set -euo pipefail\nnode() { "${process.execPath}" "$@"; }\nbank() { node "${BANK}" "$@"; }\n`;
  const given = Object.entries({ ...CHILD_ENVIRONMENT, ...environment, ...more });
  const env = Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
  return new Promise((resolve) => {
    const child = spawn('bash', ['--norc', '-c', preamble + script], { cwd: folder, env });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.stdin.end(input);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

beforeAll(async () => {
  api = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'command-line-'));
  const connection = await connectDemoBank(api, { seed: 'command line', transactionsPerDay: 20 });
  await syncAndWait(api, connection, { from: '2026-03-01', to: '2026-03-04' });
  const conditions = { children: [{ field: 'incoming', operator: 'equals', value: true }] };
  const reference = { source: 'erp', entityType: 'invoice', externalId: '1' };
  const draft = { name: 'Incoming', conditions, actions: [{ type: 'attach_reference', reference }] };
  const rule = await api.call<{ id: string }>('POST', '/banks/transaction-rules', draft);
  await automationDone(api);
  environment = {
    BANK_URL: api.service.url,
    BANK_API_KEY: api.key,
    BANK_API_SECRET: api.secret,
    BANK_COMPANY: COMPANY,
    CONNECTION: connection,
    RULE: rule.body.result.id,
    EMAIL: firstAdmin(api).email,
    PASSWORD: firstAdmin(api).password,
    XDG_CONFIG_HOME: folder,
  };
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the guide for the command line', () => {
  it.each(examples.map((code) => [code]))('has an example that runs: %s', async (code) => {
    const done = await shell(code);
    expect([done.code, done.err]).toEqual([0, '']);
  });

  it('names every exit code that help names', async () => {
    const { out } = await shell('bank --help');
    const codes = [...guide.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code);
    for (const code of codes) expect(out).toMatch(new RegExp(`(^|[ ,])${code} `, 'm'));
    expect(codes.length).toBe(8);
  });
});

describe('bank', () => {
  it('shows transactions as a table and as JSON lines, filtered and limited', async () => {
    const table = (await shell('bank transactions list -n 3')).out.trimEnd().split('\n');
    expect(table[0]).toMatch(/^DATE +AMOUNT +CURRENCY +COUNTERPARTY/);
    expect(table).toHaveLength(4);
    const lines = (await shell('bank transactions list -f incoming=true -n 7 --json')).out.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).incoming)).toEqual(Array(7).fill(true));
  });

  it('exports the same bytes as the API', async () => {
    const { out } = await shell('bank transactions export -f to=2026-03-02');
    const path = `${api.service.url}/banks/transactions/export?to=2026-03-02`;
    const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': COMPANY };
    expect(out).toBe(await (await fetch(path, { headers })).text());
    expect(out.split('\r\n').length).toBeGreaterThan(10);
  });

  it('takes a token in place of a key', async () => {
    const { accessToken } = await signIn(api);
    const bare = { BANK_API_KEY: undefined, BANK_API_SECRET: undefined, BANK_ACCESS_TOKEN: accessToken };
    expect((await shell('bank rules list', bare)).code).toBe(0);
  });

  it.each<[string, number, string, Record<string, string | undefined>]>([
    ['bank rules list', 78, 'BANK_API_KEY', { BANK_API_SECRET: undefined }],
    ['bank connections show none', 4, 'CONNECTION_NOT_FOUND', {}],
    ['bank connections create missing.json', 1, 'missing.json', {}],
    ['bank sync none', 4, 'CONNECTION_NOT_FOUND', {}],
    ['bank rules list', 3, 'AUTHENTICATION_INVALID', { BANK_API_SECRET: 'wrong-wrong-wrong-wrong-wrong-wrong' }],
    ['bank as-of rule none 2026-01-01', 4, 'ENTITY_NOT_FOUND', {}],
    ['bank rules backfill "$RULE" none', 4, 'RUN_NOT_FOUND', {}],
    ['bank transactions list -f minAmount=x', 6, 'VALIDATION_FAILED', {}],
    ['bank transactions list -f colour=red', 6, 'QUERY_PARAMETER_UNKNOWN', {}],
    ['bank transactions list -f colour', 1, 'name=value', {}],
    ['bank rules evaluate missing.json', 1, 'missing.json', {}],
    ['bank rules list --url http://127.0.0.1:1', 7, 'does not answer', {}],
    ['bank completion fish', 1, 'fish', {}],
    ['bank nothing', 1, 'nothing', {}],
  ])('%s ends with %i and says %s', async (line, code, words, more) => {
    const done = await shell(line, more);
    expect([done.code, done.err.includes(words)]).toEqual([code, true]);
    expect(`${done.out}${done.err}`).not.toContain(api.secret);
  });

  it('names each fault of a draft with its place', async () => {
    const draft = JSON.stringify({
      conditions: { children: [{ field: 'colour' }, { field: 'amount', operator: 'is' }] },
    });
    const { code, err } = await shell('bank rules evaluate -', {}, draft);
    expect(code).toBe(6);
    expect(err).toContain('conditions.children.0.field: must be one of');
    expect(err).toContain('conditions.children.1.operator: must be one of');
  });

  it('completes commands, subcommands and options', async () => {
    const script = `eval "$(bank completion bash)"\nCOMP_WORDS=(bank rules "")\nCOMP_CWORD=2\n_bank\necho "\${COMPREPLY[@]}"`;
    expect((await shell(script)).out).toContain('list evaluate preview backfill revert');
    const options = script.replace('rules ""', 'transactions list "--f"').replace('COMP_CWORD=2', 'COMP_CWORD=3');
    expect((await shell(options)).out.trim()).toBe('--filter');
  });

  it('shows a connection with its accounts, and follows a sync to its end', async () => {
    const shown = (await shell('bank connections show "$CONNECTION"')).out;
    expect(shown).toMatch(/^title +\S.*\nid +/);
    expect(shown).toMatch(/^ACCOUNT +IBAN +BALANCE +CURRENCY +SUB-ACCOUNT KEY/m);
    const synced = await shell('bank sync "$CONNECTION" --from 2026-03-01 --to 2026-03-02');
    expect([synced.code, synced.err]).toEqual([0, '']);
    expect(synced.out).toMatch(/^completed: \d+ pages, \d+ rows, 0 new, \d+ known$/m);
    const asJson = await shell('bank sync "$CONNECTION" --from 2026-03-01 --to 2026-03-02 --json');
    expect(JSON.parse(asJson.out)).toHaveProperty('syncHealth.status', 'healthy');
  });

  it('ends a sync that did not complete with 1 and the error of the bank', async () => {
    const made = `echo '{"bankCode": "demo", "title": "Refused"}' | bank connections create - --json`;
    const { id } = JSON.parse((await shell(made)).out) as { id: string };
    const steps = [{ at: { operation: 'page', attempts: 9 }, do: 'reject-credentials' }];
    await shell(`bank connections credentials ${id} -`, {}, JSON.stringify({ seed: 'refused', script: { steps } }));
    await shell(`bank connections setup ${id}`);
    const done = await shell(`bank sync ${id}`);
    expect([done.code, done.err]).toEqual([1, expect.stringMatching(/^PROVIDER_CREDENTIALS_REJECTED: /)]);
    expect(done.out).toContain('credentials_rejected');
  });

  it('colours states only where colours are wanted', async () => {
    const { out } = await shell('bank connections list', { FORCE_COLOR: '1' });
    expect(out).toContain('\u001b[32mhealthy\u001b[39m');
    expect((await shell('bank connections list', { NO_COLOR: '1' })).out).not.toContain('\u001b');
  });

  it('prints its version, and no colour into a pipe', async () => {
    expect((await shell('bank --version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { out } = await shell('bank connections list');
    expect(out.includes('\u001b')).toBe(false);
  });
});
