import type { Command } from 'commander';
import type { BankConnection, OpenConnectionRequest, PutCredentialsRequest } from '../../sdk/src/index.ts';
import { say } from '../say.ts';
import {
  ACCOUNT_COLUMNS,
  BANK_COLUMNS,
  CONNECTION_COLUMNS,
  DAY_COLUMNS,
  GAP_COLUMNS,
  LOG_COLUMNS,
  SYNC_COLUMNS,
} from './connection-columns.ts';
import { followSync } from './follow-sync.ts';
import { type Listing, limited, listing, readJson } from './given.ts';
import { sayEach, sayList } from './lists.ts';
import { sayFacts, sayJson, sayTable } from './output.ts';
import { onService, type ServiceOptions, withClient } from './with-client.ts';

const EXAMPLES = `
Examples:
  echo '{"bankCode": "demo", "title": "Main account"}' | bank connections create - --company company-one
  bank connections credentials 0199… credentials.json --company company-one
  bank connections setup 0199… --company company-one
  bank connections logs 0199… -f outcome=permanent
  bank connections completeness 0199…`;

/** Adds `connections` and `sync`. */
export function addConnections(program: Command): void {
  const connections = program.command('connections').description('connections to banks');
  addReads(connections);
  addPast(connections);
  addChanges(connections);
  connections.addHelpText('after', EXAMPLES);
  onService(program.command('sync <accountId>').description('fetch from the bank now, and follow it to its end'))
    .option('--from <day>', 'first day')
    .option('--to <day>', 'last day')
    .action((accountId: string, options: ServiceOptions & { from?: string; to?: string }) =>
      withClient(options, async (client, lastHeaders) => {
        const { from, to, json } = options;
        const window = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
        await followSync({ client, lastHeaders, json }, () => client.syncConnection(accountId, window));
      }),
    );
}

function addReads(connections: Command): void {
  limited(connections.command('list').description('the connections and their health')).action((options: Listing) =>
    withClient(options, (client) => sayList(client.each.listConnections(), CONNECTION_COLUMNS, options)),
  );
  onService(connections.command('banks').description('the banks there are')).action((options: ServiceOptions) =>
    withClient(options, async (client) => sayEach((await client.getCatalogue()).items, BANK_COLUMNS, options)),
  );
  onService(connections.command('show <accountId>').description('one connection and its accounts')).action(
    (accountId: string, options: ServiceOptions) =>
      withClient(options, async (client) => sayConnection(await client.getConnection(accountId), options)),
  );
  onService(
    connections.command('completeness <accountId>').description('how far its rows are complete, and the gaps'),
  ).action((accountId: string, options: ServiceOptions) =>
    withClient(options, async (client) => {
      const { completeness } = await client.getConnectionHealth(accountId);
      sayEach(completeness, GAP_COLUMNS, options);
    }),
  );
}

function addPast(connections: Command): void {
  limited(connections.command('syncs <accountId>').description('its syncs, the newest first')).action(
    (accountId: string, options: Listing) =>
      withClient(options, (client) => sayList(client.each.listSyncs(accountId), SYNC_COLUMNS, options)),
  );
  limited(connections.command('usage <accountId>').description('what it did, day by day')).action(
    (accountId: string, options: Listing) =>
      withClient(options, (client) => sayList(client.each.getConnectionUsage(accountId), DAY_COLUMNS, options)),
  );
  listing(
    connections.command('logs <accountId>').description('the requests to the bank, and what came of each'),
  ).action((accountId: string, options: Listing) =>
    withClient(options, (client) =>
      sayList(client.each.listConnectorLogs({ ...options.filter, accountId }), LOG_COLUMNS, options),
    ),
  );
}

function addChanges(connections: Command): void {
  onService(connections.command('create <file>').description('add one, from JSON; `-` reads standard input')).action(
    (file: string, options: ServiceOptions) =>
      withClient(options, async (client) =>
        sayConnection(await client.openConnection(readJson(file) as OpenConnectionRequest), options),
      ),
  );
  onService(
    connections
      .command('credentials <accountId> <file>')
      .description('put its credentials, from JSON; `-` reads standard input. They are in no argument'),
  ).action((accountId: string, file: string, options: ServiceOptions) =>
    withClient(options, async (client) => {
      const receipt = await client.putCredentials(accountId, readJson(file) as PutCredentialsRequest);
      if (options.json) sayJson(receipt);
      else say(`Stored for ${receipt.environment}, fingerprint ${receipt.fingerprint}`);
    }),
  );
  onService(
    connections.command('setup <accountId>').description('find its accounts at the bank, and follow that'),
  ).action((accountId: string, options: ServiceOptions) =>
    withClient(options, (client, lastHeaders) =>
      followSync({ client, lastHeaders, json: options.json }, () => client.setUpConnection(accountId)),
    ),
  );
  onService(connections.command('cancel <accountId> <syncId>').description('cancel a sync')).action(
    (accountId: string, syncId: string, options: ServiceOptions) =>
      withClient(options, async (client) =>
        sayEach([await client.cancelSync(accountId, syncId)], SYNC_COLUMNS, options),
      ),
  );
  onService(connections.command('archive <accountId>').description('archive it, which is final')).action(
    (accountId: string, options: ServiceOptions) =>
      withClient(options, async (client) => sayConnection(await client.archiveConnection(accountId), options)),
  );
}

function sayConnection(one: BankConnection, { json }: ServiceOptions): void {
  if (json) {
    sayJson(one);
    return;
  }
  sayFacts([
    ['title', one.title],
    ['id', one.id],
    ['company', one.companies],
    ['bank', `${one.bankCode} (${one.environment})`],
    ['health', one.syncHealth.status],
    ['error', one.syncHealth.lastErrorCode],
    ['set up', one.lastProviderSetupAt],
    ['last sync', one.lastProviderSyncAt],
    ['credentials', one.credentials?.updatedAt],
    ['archived', one.archivedAt],
  ]);
  if (one.subAccounts.length === 0) return;
  say();
  sayTable(one.subAccounts, ACCOUNT_COLUMNS);
}
