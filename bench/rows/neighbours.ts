import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../children/messages.ts';
import { type Call, openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { connection, days, LOADS, type Load, type Neighbour } from '../fixtures/neighbour-loads.ts';
import { automated, type ChildState, makeRules } from '../fixtures/whole-service.ts';
import type { Row } from '../row.ts';

const OPERATOR_TOKEN = 'bench-operator-token-of-32-characters';
const ROUNDS = 20;
/** How long a load runs before anything is measured. */
const UNDER_WAY_MS = 1_000;
const IDLE_LOOK_MS = 1_000;
const RATIO = 3;
const SLOWER_MS = 100;
const LATER_MS = 2_000;

type Made = { tenant: { id: string }; company: { id: string }; apiKey: { key: string; secret: string } };
type Tenant = { readonly headers: Readonly<Record<string, string>>; readonly call: Call };
type Usual = readonly (readonly [name: string, ask: () => Promise<unknown>])[];
type Figures = {
  readonly p50: number;
  readonly p95: number;
  readonly sync: number;
  readonly preview: number;
  readonly replay: number;
};

/**
 * The whole service in a process of its own on the embedded stores: how long the usual requests and the own work of one
 * tenant take while another one loads the service, against what they took alone just before.
 */
export const neighbours: Row = {
  name: 'neighbours',
  title: 'requests and work of one tenant while another floods the service',
  baseline: 'the same without the other, just before; the slowest p95',
  aim: { kind: 'cost', atMost: RATIO },
  async measure({ quick, say }) {
    const folder = makeFolder();
    const environment = { ...serviceEnvironment(folder.path), OPERATOR_TOKEN };
    const service = await startChild<{ url: string }, ChildState>('./service-child.ts', environment);
    const { url } = service.ready;
    try {
      const busy = await makeTenant(url, 'Busy');
      const moment = await fill(busy, service.ask, quick ? 500 : 20_000);
      const ruleId = await ruleOf(busy.call);
      const neighbour: Neighbour = { url, headers: busy.headers, ruleId, moment, quick };
      const lines = [head()];
      say(head());
      const ratios: number[] = [];
      for (const load of loads()) {
        // Another one for each load: its own work adds to its history, so its next replay takes longer.
        const quiet = await makeTenant(url, `Quiet${lines.length}`);
        await fill(quiet, service.ask, quick ? 200 : 3_000);
        const usual = await usualRequests(quiet.call);
        const measureQuiet = () => figuresOf(quiet.call, usual, quick ? 3 : ROUNDS);
        await measureQuiet();
        await untilIdle(service.ask);
        const alone = await measureQuiet();
        const shown = line(`alone, before ${load}`, alone, null);
        lines.push(shown);
        say(shown);
        const child = await startChild<null, { statuses: [number, number][]; failure: string | null }>(
          './neighbour-child.ts',
          { LOAD: load, NEIGHBOUR: JSON.stringify(neighbour) },
        );
        let beside: Figures;
        try {
          await pause(UNDER_WAY_MS);
          beside = await measureQuiet();
          const { statuses, failure } = await child.ask();
          const answered = statuses.map(([status, count]) => `${count} × ${status}`).join(', ');
          lines.push(line(load, beside, alone));
          say(`${lines.at(-1)}${answered === '' ? '' : ` (${answered})`}${failure === null ? '' : ` ${failure}`}`);
        } finally {
          await child.stop();
        }
        ratios.push(
          beside.p95 <= alone.p95 + SLOWER_MS ? Math.min(RATIO, beside.p95 / alone.p95) : beside.p95 / alone.p95,
        );
        await calmDown(busy.call, load);
      }
      return { values: [Math.max(...ratios)], details: lines };
    } finally {
      await service.stop();
      folder.remove();
    }
  },
};

/** All, or those that BENCH_LOADS names, separated by commas. */
function loads(): readonly Load[] {
  const named = process.env.BENCH_LOADS?.split(',');
  return named === undefined ? LOADS : LOADS.filter((load) => named.includes(load));
}

async function makeTenant(url: string, name: string): Promise<Tenant> {
  const operator = openApi(url, { authorization: `Bearer ${OPERATOR_TOKEN}` });
  const adminEmail = `${name.toLowerCase()}@example.com`;
  const { apiKey, company } = await operator<Made>('POST', '/operator/tenants', { name, adminEmail });
  const headers = { 'x-api-key': apiKey.key, 'x-api-secret': apiKey.secret, 'x-company-id': company.id };
  const call = openApi(url, headers);
  await until(async () =>
    call('GET', '/banks/accounts').then(
      () => true,
      () => false,
    ),
  );
  return { headers, call };
}

/** Rules, and so many rows, a tenth of which are recorded before the moment that is returned. */
async function fill({ call }: Tenant, ask: () => Promise<ChildState>, rows: number): Promise<string> {
  await makeRules(call);
  const first = await connection(call, { transactionsPerDay: rows / 20 });
  await syncEnded(call, first, 2);
  await automated(call, ask);
  const moment = new Date().toISOString();
  await pause(10);
  await syncEnded(call, await connection(call, { transactionsPerDay: rows / 20 }), 18);
  await automated(call, ask);
  return moment;
}

async function ruleOf(call: Call): Promise<string> {
  const { items } = await call<{ items: { id: string }[] }>('GET', '/banks/transaction-rules?limit=1');
  return items[0]?.id ?? '';
}

async function usualRequests(call: Call): Promise<Usual> {
  const rule = await ruleOf(call);
  const { items } = await call<{ items: { id: string; accountId: string }[] }>('GET', '/banks/transactions?limit=1');
  const { id = '', accountId = '' } = items[0] ?? {};
  let nth = 0;
  const reference = () => {
    nth += 1;
    return { reference: { source: 'bench', entityType: 'note', externalId: `${Date.now()} ${nth}` } };
  };
  return [
    ['newest transactions', () => call('GET', '/banks/transactions?limit=50')],
    ['one transaction', () => call('GET', `/banks/transactions/${id}`)],
    ['its explanation', () => call('GET', `/banks/transactions/${id}/explanation`)],
    ['a search', () => call('GET', '/banks/transactions?limit=50&q=kira')],
    ['an account', () => call('GET', `/banks/transactions?limit=50&accountId=${accountId}`)],
    ['connections', () => call('GET', '/banks/accounts')],
    ['health of one', () => call('GET', `/banks/accounts/${accountId}/health`)],
    ['rules', () => call('GET', `/banks/transaction-rules/${rule}`)],
    ['cash flow', () => call('GET', '/banks/analytics/queries/cash-flow/results')],
    ['an assignment', () => call('POST', `/banks/transactions/${id}/assignments`, reference())],
  ];
}

async function figuresOf(call: Call, usual: Usual, rounds: number): Promise<Figures> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const [, ask] of usual) times.push(await timed(ask));
  }
  const [sync, preview, replay] = [
    await timed(() => ownSync(call)),
    await timed(() => ownPreview(call)),
    await timed(() => ownReplay(call)),
  ];
  times.sort((one, other) => one - other);
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), sync, preview, replay };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function ownSync(call: Call): Promise<void> {
  await syncEnded(call, await connection(call, { transactionsPerDay: 100 }), 3);
}

async function syncEnded(call: Call, id: string, count: number): Promise<void> {
  await call('POST', `/banks/accounts/${id}/sync`, days(count));
  await until(async () => {
    const { items } = await call<{ items: { status: string }[] }>('GET', `/banks/accounts/${id}/syncs?limit=1`);
    if (items[0]?.status === 'failed') throw new Error('the sync failed');
    return items[0]?.status === 'completed';
  });
}

async function ownPreview(call: Call): Promise<void> {
  const rule = await ruleOf(call);
  const { id } = await call<{ id: string }>('POST', `/banks/transaction-rules/${rule}/preview-runs`, {});
  await until(async () => {
    // The read model may not show it yet.
    const run = await call<{ status: string }>('GET', `/banks/rule-runs/${id}`).catch(() => null);
    return run?.status === 'completed';
  });
}

async function ownReplay(call: Call): Promise<void> {
  const { id } = await call<{ id: string }>('POST', '/banks/audit/replays', {});
  await until(async () => (await call<{ status: string }>('GET', `/banks/audit/replays/${id}`)).status === 'completed');
}

/** Ends what is left of the load. */
async function calmDown(call: Call, load: Load): Promise<void> {
  if (load === 'previews') {
    const cancelled = new Set<string>();
    for (;;) {
      const { items } = await call<{ items: { id: string; status: string }[] }>('GET', '/banks/rule-runs?limit=200');
      const open = items.filter(({ status }) => status === 'pending' || status === 'processing');
      if (open.length === 0) break;
      for (const { id } of open.filter((run) => !cancelled.has(run.id))) {
        await call('POST', `/banks/rule-runs/${id}/cancel`).catch(() => undefined);
        cancelled.add(id);
      }
      await pause(200);
    }
  }
  if (load === 'a large sync' || load === 'failing syncs') {
    const { items } = await call<{ items: { id: string }[] }>('GET', '/banks/accounts?limit=200');
    for (const { id } of items) await lastSyncEnded(call, id, load === 'failing syncs');
  }
}

/** The read models are up to date, and the service does next to nothing. */
async function untilIdle(ask: () => Promise<ChildState>): Promise<void> {
  await until(async () => {
    const { cpuMs } = await ask();
    await pause(IDLE_LOOK_MS);
    const { cpuMs: later, behind } = await ask();
    return behind.length === 0 && later - cpuMs < IDLE_LOOK_MS / 4;
  });
}

async function lastSyncEnded(call: Call, accountId: string, cancels: boolean): Promise<void> {
  const path = `/banks/accounts/${accountId}/syncs`;
  const open = async (): Promise<string | undefined> => {
    const { items } = await call<{ items: { id: string; status: string }[] }>('GET', `${path}?limit=1`);
    return items.find(({ status }) => status === 'queued' || status === 'running')?.id;
  };
  const id = cancels ? await open() : undefined;
  // It may have ended meanwhile.
  if (id !== undefined) await call('POST', `${path}/${id}/cancel`).catch(() => undefined);
  await until(async () => (await open()) === undefined);
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await pause(20);
}

function head(): string {
  return '| beside | p50 ms | p95 ms | sync s | preview s | replay s | |\n    |---|---|---|---|---|---|---|';
}

function line(load: string, figures: Figures, alone: Figures | null): string {
  const ms = (name: 'p50' | 'p95'): string => `${figures[name].toFixed(1)}${ratio(figures[name], alone?.[name])}`;
  const s = (name: 'sync' | 'preview' | 'replay'): string =>
    `${(figures[name] / 1000).toFixed(2)}${ratio(figures[name], alone?.[name])}`;
  const met = alone === null ? '' : isMet(figures, alone) ? 'met' : 'missed';
  return `| ${[load, ms('p50'), ms('p95'), s('sync'), s('preview'), s('replay'), met].join(' | ')} |`;
}

function ratio(value: number, alone: number | undefined): string {
  return alone === undefined ? '' : ` (${(value / alone).toFixed(1)}×)`;
}

function isMet(beside: Figures, alone: Figures): boolean {
  const isSoon = beside.p95 <= Math.max(RATIO * alone.p95, alone.p95 + SLOWER_MS);
  return (
    isSoon && (['sync', 'preview', 'replay'] as const).every((name) => beside[name] <= RATIO * alone[name] + LATER_MS)
  );
}
