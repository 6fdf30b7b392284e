import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import pLimit from 'p-limit';
import { type EmmettCore, type EmmettEvent, emmettPackage } from '../fixtures/emmett-packages.ts';
import { openEmmettSqlite } from '../fixtures/emmett-sqlite.ts';
import { serveRoutes } from './serve-routes.ts';

// Pausing and resuming of rules with the command handler of Emmett behind a Hono route, in the folder DATA_DIR, which
// names the rules in rules.json. Commands take turns, for the reason that `EmmettWay` gives.
type RuleState = { readonly version: number; readonly status: 'active' | 'paused' };

const dataDir = process.env.DATA_DIR ?? '';
const ruleIds = JSON.parse(readFileSync(join(dataDir, 'rules.json'), 'utf8')) as string[];
const { CommandHandler } = emmettPackage<EmmettCore>('@event-driven-io/emmett');
const { store, append, close } = await openEmmettSqlite(dataDir, 'one connection');
for (const id of ruleIds) await append(streamOf(id), 0n, [{ type: 'RuleCreated', data: { version: 1 }, metadata: {} }]);

const handle = CommandHandler<RuleState>({
  initialState: () => ({ version: 0, status: 'active' }),
  evolve: (_state, { type, data }) => ({
    version: (data as { version: number }).version,
    status: type === 'RulePaused' ? 'paused' : 'active',
  }),
});
const inTurn = pLimit(1);
const app = new Hono();

app.patch('/banks/transaction-rules/:id/:change', async (context) => {
  const { version } = await context.req.json<{ version: number }>();
  const isPause = context.req.param('change') === 'pause';
  const { newState } = await inTurn(() =>
    handle(store, streamOf(context.req.param('id')), (state): EmmettEvent => {
      if (state.version !== version) throw new Error(`the rule has version ${state.version}`);
      const now = new Date().toISOString();
      const data = { version: version + 1, ...(isPause ? { pausedAt: now } : { resumedAt: now }) };
      return { type: isPause ? 'RulePaused' : 'RuleResumed', data, metadata: {} };
    }),
  );
  return context.json(newState);
});

function streamOf(id: string): string {
  return `transactionRule-${id}`;
}

serveRoutes(app, close);
