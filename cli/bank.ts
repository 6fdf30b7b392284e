import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option, program } from 'commander';
import { addServiceCommands } from './service/commands.ts';
import { addUrl, onService, type ServiceOptions } from './service/with-client.ts';

// A command that runs the service or opens its stores is loaded when it is given; the others start in a tenth
// of the time.

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
    new Option('--transactions <count>').argParser(wholeNumber).hideHelp(),
  )
  .action(async (options: { transactions?: number }) => (await import('./demo/demo.ts')).runDemo(options));

program
  .command('verify [file]')
  .description(
    'without a file: check every digest of the embedded log of a stopped service; with one: check an ' +
      'exported history offline',
  )
  .option('--key <publicKey>', "the service's public key (GET /banks/audit/integrity), base64")
  .action(async (file: string | undefined, options: { key?: string }) =>
    file === undefined
      ? (await import('./verify.ts')).runVerify()
      : (await import('./verify-export.ts')).verifyExport(file, options),
  );

program
  .command('check')
  .description(
    'examine the embedded stores of a stopped service: the log, the files, every read model against the log, and ' +
      'the secrets; changes nothing',
  )
  .action(async () => (await import('./check.ts')).runCheck());

const projections = program
  .command('projections')
  .description('show the position of each projection and why a halted one has halted')
  .action(async () => (await import('./projections.ts')).showProjections());

projections
  .command('park <name>')
  .description('let a halted projection skip the event it halted at; the skip stays on record')
  .action(async (name: string) => (await import('./projections.ts')).letGoOn(name, true));

projections
  .command('resume <name>')
  .description('let a halted projection retry the event it halted at')
  .action(async (name: string) => (await import('./projections.ts')).letGoOn(name, false));

const runs = program.command('runs').description('previews, backfills and reverts of rules');

onService(runs.command('watch <id>'))
  .description('follow a run to its end; needs rules:read')
  .action(async (id: string, options: ServiceOptions) => (await import('./service/runs.ts')).watchRun(id, options));

addUrl(program.command('replay <company>'))
  .description("let the service rebuild a company's read models from its events and compare; needs audit:write")
  .option('--until <moment>', 'a moment or a position of the log; now unless given')
  .action(async (company: string, options: { url: string; until?: string }) =>
    (await import('./replay.ts')).replayCompany(company, options),
  );

program
  .command('folders')
  .description('folders of statements below STATEMENTS_DIR')
  .command('grant <folder>')
  .description('grant a folder to one company of one tenant, with everything below it; needed with several tenants')
  .requiredOption('--tenant <id>', 'the id of the tenant')
  .requiredOption('--company <id>', 'the id of the company')
  .action(async (folder: string, options: { tenant: string; company: string }) =>
    (await import('./folders.ts')).grantStatementFolder(folder, options),
  );

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
  .action(async (options: { email?: string; tenant?: string }) =>
    (await import('./admin.ts')).resetAdminAccess(options),
  );

addServiceCommands(program as Command);

await (program as Command).parseAsync();
