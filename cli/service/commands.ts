import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type {
  AuditedEvent,
  Change,
  EvaluateDraftRuleRequest,
  ExportTransactionsQuery,
  ListTransactionsQuery,
} from '../../sdk/src/index.ts';
import { count, say } from '../say.ts';
import { completionScript } from './completion.ts';
import { addConnections } from './connections.ts';
import { filterOf, type Listing, listing, readJson } from './given.ts';
import { RULE_COLUMNS, sayList, TRANSACTION_COLUMNS } from './lists.ts';
import { addLogin } from './login.ts';
import { type Column, sayJson, sayTable } from './output.ts';
import { followRun } from './runs.ts';
import { onService, type ServiceOptions, withClient } from './with-client.ts';

/** The filters are those of the API, which checks them. */
const asQuery = (filter: object): ListTransactionsQuery => filter as ListTransactionsQuery;

function addTransactions(program: Command): void {
  const transactions = program.command('transactions').description('list and export transactions');
  listing(transactions.command('list').description('the newest first')).action((options: Listing) =>
    withClient(options, (client) =>
      sayList(
        client.each.listTransactions({ ...asQuery(options.filter), limit: Math.min(200, options.limit) }),
        TRANSACTION_COLUMNS,
        options,
      ),
    ),
  );
  onService(transactions.command('export').description('all of them as CSV to standard output'))
    .option('-f, --filter <name=value>', 'a filter of the API, several times if need be', filterOf, {})
    .action((options: Listing) =>
      withClient(options, async (client) => {
        const { body } = await client.exportTransactions(options.filter as ExportTransactionsQuery);
        if (body !== null) await pipeline(Readable.fromWeb(body as never), process.stdout, { end: false });
      }),
    );
}

function addRules(program: Command): void {
  const rules = program.command('rules').description('list, try and apply rules');
  listing(rules.command('list').description('the rules')).action((options: Listing) =>
    withClient(options, (client) =>
      sayList(client.each.listRules({ ...options.filter, limit: Math.min(200, options.limit) }), RULE_COLUMNS, options),
    ),
  );
  onService(rules.command('evaluate <file>').description('what a draft would match; `-` reads standard input')).action(
    (file: string, options: ServiceOptions) =>
      withClient(options, async (client) => {
        const draft = readJson(file) as EvaluateDraftRuleRequest;
        const found = await client.evaluateDraftRule(draft, { query: { include: 'transactions' } });
        if (options.json) return sayJson(found);
        const matched = new Set(found.matches.map(({ transactionId }) => transactionId));
        sayTable(found.transactions?.filter(({ id }) => matched.has(id)) ?? [], TRANSACTION_COLUMNS);
        say(`${count(found.matchedCount)} of ${count(found.candidateCount)} match${found.complete ? '' : ', so far'}`);
      }),
  );
  onService(rules.command('preview <ruleId>').description('what a rule would do to past transactions')).action(
    (ruleId: string, options: ServiceOptions) =>
      withClient(options, async (client) => {
        await followRun(client, await client.previewRule(ruleId, {}), options.json);
      }),
  );
  onService(rules.command('backfill <ruleId> <previewRunId>').description('do what a preview showed')).action(
    (ruleId: string, previewRunId: string, options: ServiceOptions) =>
      withClient(options, async (client) => {
        await followRun(client, await client.backfillRule(ruleId, { previewRunId }), options.json);
      }),
  );
  onService(rules.command('revert <runId>').description('undo what a backfill did')).action(
    (runId: string, options: ServiceOptions) =>
      withClient(options, async (client) => {
        await followRun(client, await client.revertRuleRun(runId), options.json);
      }),
  );
}

const CHANGE_COLUMNS: readonly Column<Change>[] = [
  { title: 'AT', of: (change) => change.at },
  { title: 'KIND', of: (change) => change.kind },
  { title: 'TYPE', of: (change) => change.type },
  { title: 'ID', of: (change) => change.id },
];

const EVENT_COLUMNS: readonly Column<AuditedEvent>[] = [
  { title: 'AT', of: (event) => event.recordedAt },
  { title: 'WHAT', of: (event) => event.title },
  { title: 'BY', of: ({ actor }) => `${actor.type} ${actor.id}` },
  { title: 'ENTITY', of: (event) => event.entityType },
  { title: 'ID', of: (event) => event.entityId },
];

function addPast(program: Command): void {
  onService(program.command('changes').description('what came or changed, page by page'))
    .option('--after <cursor>', 'from where an earlier call ended, or `now`')
    .option('--follow', 'go on until stopped')
    .action((options: ServiceOptions & { after?: string; follow?: boolean }) =>
      withClient(options, async (client) => {
        const { after, follow = false } = options;
        // Nobody reads on, and following has no other end.
        process.stdout.once('error', () => process.exit());
        for await (const page of client.changes({ follow, ...(after === undefined ? {} : { after }) })) {
          if (options.json) for (const item of page.items) sayJson(item);
          else if (page.items.length > 0) sayTable(page.items, CHANGE_COLUMNS);
          if (!follow && !page.more && !options.json) say(`next: --after ${page.nextCursor}`);
        }
      }),
    );
  listing(program.command('history').description('who did what, the newest first')).action((options: Listing) =>
    withClient(options, (client) =>
      sayList(
        client.each.listHistory({ ...options.filter, limit: Math.min(200, options.limit) }),
        EVENT_COLUMNS,
        options,
      ),
    ),
  );
  onService(
    program.command('as-of <entityType> <id> <moment>').description('an entity as it stood at a moment, as JSON'),
  ).action((entityType: string, id: string, at: string, options: ServiceOptions) =>
    withClient(options, async (client) => sayJson(await client.getEntityAsOf(entityType, id, { at }))),
  );
}

const EXAMPLES = `
Against the service, after bank login or with BANK_API_KEY and BANK_API_SECRET set:
  bank connections list
  bank sync 0199… --from 2026-09-01
  bank transactions list -f currency=EUR -f assigned=false
  bank transactions export -f from=2026-09-01 > september.csv
  bank rules evaluate draft.json
  bank changes --follow --json

Exit codes: 0 done, 1 failed, 3 not allowed, 4 not found, 5 conflict, 6 not acceptable, 7 not available now,
78 wrong settings.`;

/** Adds the commands that call a running service as any other client does. */
export function addServiceCommands(program: Command): void {
  addLogin(program);
  addTransactions(program);
  addRules(program);
  addConnections(program);
  addPast(program);
  program
    .command('completion <shell>')
    .description('print the completion for a shell: bash or zsh')
    .action((shell: string) => {
      const script = completionScript(program, shell);
      if (script === null) program.error(`error: no completion for ${shell}; there is one for bash and zsh`);
      else say(script);
    });
  program.addHelpText('after', EXAMPLES);
}
