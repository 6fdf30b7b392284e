import { type Command, InvalidArgumentError, Option, program } from 'commander';
import { DEMO_TRANSACTIONS, runDemo } from './demo/demo.ts';
import { runVerify } from './verify.ts';

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('must be a whole number from 1 on.');
  return Number(text);
}

program
  .name('bank')
  .description(
    'The command line of the bank connection service. Settings come from the environment, as for the service.',
  )
  .helpCommand(false);

program
  .command('demo')
  .description('start the service with a filled demo tenant and print where to look; it stays up until stopped')
  .addOption(
    // For tests: a demo of another size.
    new Option('--transactions <count>').argParser(wholeNumber).default(DEMO_TRANSACTIONS).hideHelp(),
  )
  .action((options: { transactions: number }) => runDemo(options));

program
  .command('verify')
  .description('walk the embedded log of a stopped service and check every digest from the first event to the last')
  .action(() => runVerify());

await (program as Command).parseAsync();
