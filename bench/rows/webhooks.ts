import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../children/messages.ts';
import { type Call, openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import type { ChildState } from '../fixtures/whole-service.ts';
import type { Row } from '../row.ts';

const HOOKS = 1_000;
const HANGING = 50;
const QUICK_HOOKS = 20;
const QUICK_HANGING = 2;
const EVENTS = 20;
const QUICK_EVENTS = 3;
/** From the answer to a command until the last of its messages has arrived, with every hook getting every event. */
const MOST_MS = 2_000;

/** Counts what arrives; some paths are never answered. */
async function openReceiver() {
  const arrivals = new Map<string, { readonly rule: string; readonly atMs: number }[]>();
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk));
    request.on('end', () => {
      const atMs = performance.now();
      const path = request.url ?? '';
      const list = arrivals.get(path) ?? [];
      arrivals.set(path, list);
      list.push({ rule: (JSON.parse(text) as { data: { id: string } }).data.id, atMs });
      if (!path.startsWith('/hang')) response.writeHead(204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function createRule(call: Call, nth: number): Promise<string> {
  const reference = { source: 'bench', entityType: 'hook', externalId: String(nth) };
  const body = {
    name: `Rule ${nth}`,
    conditions: { children: [{ field: 'incoming', operator: 'equals', value: true }] },
    actions: [{ type: 'attach_reference', reference }],
  };
  return (await call<{ id: string }>('POST', '/banks/transaction-rules', body)).id;
}

export const webhooks: Row = {
  name: 'webhooks',
  title: '1,000 webhooks of one tenant, 50 of which hang: from the answer to a command to the arrival, p99',
  baseline: 'none: the delay',
  aim: { kind: 'below', limit: MOST_MS, unit: 'ms' },
  async measure({ quick, say }) {
    const [hooks, hanging, events] = quick ? [QUICK_HOOKS, QUICK_HANGING, QUICK_EVENTS] : [HOOKS, HANGING, EVENTS];
    const folder = makeFolder();
    const receiver = await openReceiver();
    const environment = {
      ...serviceEnvironment(folder.path),
      WEBHOOK_PRIVATE_NETWORKS: 'allow',
      TENANT_LIMIT_WEBHOOKS: '2000',
    };
    const child = await startChild<{ url: string }, ChildState>('./service-child.ts', environment);
    try {
      const call = openApi(child.ready.url);
      const hook = (path: string) => ({ url: `${receiver.url}${path}`, types: ['rule.updated'] });
      await call('POST', '/banks/webhooks', hook('/single'));
      const single = await delays(call, receiver.arrivals, ['/single'], events, 0);
      say(`one webhook: p50 ${single.p50.toFixed(0)} ms, p99 ${single.p99.toFixed(0)} ms`);
      const paths = Array.from({ length: hooks }, (_, nth) => (nth < hanging ? `/hang/${nth}` : `/good/${nth}`));
      for (const path of paths) await call('POST', '/banks/webhooks', hook(path));
      say(`${hooks} webhooks created`);
      await pause(2_000);
      const good = paths.filter((path) => path.startsWith('/good'));
      const many = await delays(call, receiver.arrivals, good, events, 1_000);
      return {
        values: [many.p99],
        details: [
          `one webhook: p50 ${single.p50.toFixed(1)} ms, p99 ${single.p99.toFixed(1)} ms`,
          `${hooks} webhooks, ${hanging} hanging: p50 ${many.p50.toFixed(0)} ms, p99 ${many.p99.toFixed(0)} ms, ` +
            `last ${many.last.toFixed(0)} ms`,
        ],
      };
    } finally {
      await child.stop();
      receiver.close();
      folder.remove();
    }
  },
};

/** One event after the other, each once the good ones have it. */
async function delays(
  call: Call,
  arrivals: ReadonlyMap<string, readonly { readonly rule: string; readonly atMs: number }[]>,
  paths: readonly string[],
  events: number,
  pauseMs: number,
) {
  const took: number[] = [];
  for (let nth = 0; nth < events; nth += 1) {
    const rule = await createRule(call, nth);
    const answeredMs = performance.now();
    const found = (path: string) => arrivals.get(path)?.find((one) => one.rule === rule);
    while (!paths.every((path) => found(path) !== undefined)) await pause(5);
    for (const path of paths) took.push(Math.max(0, (found(path)?.atMs ?? 0) - answeredMs));
    await pause(pauseMs);
  }
  took.sort((one, other) => one - other);
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), last: at(1) };
}
