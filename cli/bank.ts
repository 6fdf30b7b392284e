import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option, program } from 'commander';
import { resetAdminAccess } from './admin.ts';
import { runCheck } from './check.ts';
import { DEMO_TRANSACTIONS, runDemo } from './demo/demo.ts';
import { grantStatementFolder } from './folders.ts';
import { letGoOn, showProjections } from './projections.ts';
import { replayCompany } from './replay.ts';
import { watchRun } from './runs.ts';
import { addServiceCommands } from './service/commands.ts';
import { runVerify } from './verify.ts';
import { verifyExport } from './verify-export.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('must be a whole number of at least 1.');
  return Number(text);
}

// A reader that closes the pipe (`| head`) is not a fault, and must not end a running demo.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

program
  .name('bank')
  .description(
    'The command line of the bank connection service. Settings come from the environment, as for the service.',
  )
  .version(version, '--version', 'print the version')
  .helpCommand(false);

program
  .command('demo')
  .description('start the service with a demo tenant and sample data, and print how to use it; runs until stopped')
  .addOption(
    // For tests only: a demo of another size.
    new Option('--transactions <count>').argParser(wholeNumber).default(DEMO_TRANSACTIONS).hideHelp(),
  )
  .action((options: { transactions: number }) => runDemo(options));

program
  .command('verify [file]')
  .description(
    'without a file: check every digest of the embedded log of a stopped service; with one: check an ' +
      'exported history offline',
  )
  .option('--key <publicKey>', "the service's public key (GET /banks/audit/integrity), base64")
  .action((file: string | undefined, options: { key?: string }) =>
    file === undefined ? runVerify() : verifyExport(file, options),
  );

program
  .command('check')
  .description(
    'examine the embedded stores of a stopped service: the log, the files, every read model against the log, and ' +
      'the secrets; changes nothing',
  )
  .action(() => runCheck());

const projections = program
  .command('projections')
  .description('show the position of each projection and why a halted one has halted')
  .action(() => showProjections());

projections
  .command('park <name>')
  .description('let a halted projection skip the event it halted at; the skip stays on record')
  .action((name: string) => letGoOn(name, true));

projections
  .command('resume <name>')
  .description('let a halted projection retry the event it halted at')
  .action((name: string) => letGoOn(name, false));

const runs = program.command('runs').description('previews, backfills and reverts of rules');

runs
  .command('watch <id>')
  .description('follow a run to its end; BANK_API_KEY and BANK_API_SECRET are a key with rules:read')
  .option('--url <url>', 'where the service answers', 'http://127.0.0.1:3000')
  .action((id: string, options: { url: string }) => watchRun(id, options));

program
  .command('replay <company>')
  .description(
    "let the service rebuild a company's read models from its events and compare; BANK_API_KEY and BANK_API_SECRET " +
      'are a key with audit:write',
  )
  .option('--until <moment>', 'a moment or a position of the log; now unless given')
  .option('--url <url>', 'where the service answers', 'http://127.0.0.1:3000')
  .action((company: string, options: { url: string; until?: string }) => replayCompany(company, options));

program
  .command('folders')
  .description('folders of statements below STATEMENTS_DIR')
  .command('grant <folder>')
  .description('grant a folder to one company of one tenant, with everything below it; needed with several tenants')
  .requiredOption('--tenant <id>', 'the id of the tenant')
  .requiredOption('--company <id>', 'the id of the company')
  .action((folder: string, options: { tenant: string; company: string }) => grantStatementFolder(folder, options));

program
  .command('admin')
  .description('access of admins')
  .command('reset')
  .description(
    'give an admin a new password and the tenant a new API key, and print both once; with embedded stores the ' +
      'service must be stopped',
  )
  .option('--email <email>', 'of the admin; without it, the admin of the first start')
  .option('--tenant <id>', 'of the admin, where users of several tenants have the email')
  .action((options: { email?: string; tenant?: string }) => resetAdminAccess(options));

addServiceCommands(program as Command);

await (program as Command).parseAsync();
