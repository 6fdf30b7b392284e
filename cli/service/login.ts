import type { Command } from 'commander';
import { BankClient, BankError, type TokenPair } from '../../sdk/src/index.ts';
import { EXIT_CONFIG, refuse, say, sayError } from '../say.ts';
import { onOneLine } from './output.ts';
import { ask, firstLine, NoAnswer } from './prompt.ts';
import { normalised } from './session.ts';
import { readSession, removeSession, SessionFileError, writeSession } from './session-file.ts';
import { addUrl, reported } from './with-client.ts';

type Login = { readonly url: string; readonly email?: string; readonly tenant?: string };
type Tenants = readonly { readonly id: string; readonly name: string }[];

/** Adds `login` and `logout`. */
export function addLogin(program: Command): void {
  addUrl(program.command('login').description('sign in with email and password, and keep the session'))
    .option('--email <email>', 'of the user (BANK_EMAIL); asked for on a terminal')
    .option('--tenant <id>', 'for an email and password that are good in several tenants')
    .addHelpText(
      'after',
      `
The password is asked for on a terminal; otherwise it is BANK_PASSWORD, or the first line of standard input. Tokens are
kept in $XDG_CONFIG_HOME/bank/session.json or ~/.config/bank/session.json, which only you can read.

  bank login --email ada@acme.example
  bank login --email ada@acme.example < password.txt`,
    )
    .action((options: Login) => reported(options.url, () => logIn(options)));
  program
    .command('logout')
    .description('end the session in the service, and forget it here')
    .action(() => logOut());
}

async function logIn({ url, email = process.env.BANK_EMAIL, tenant }: Login): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  try {
    const user = email ?? (isTerminal ? (await ask('Email: ')).trim() : undefined);
    if (!user) {
      sayError('--email or BANK_EMAIL: required without a terminal');
      process.exitCode = EXIT_CONFIG;
      return;
    }
    const given = process.env.BANK_PASSWORD;
    const password = given ?? (isTerminal ? await ask('Password: ', { hidden: true }) : await firstLine());
    const client = new BankClient({ baseUrl: url, maxAttempts: 1 });
    const { accessToken, refreshToken, expiresIn } = await tokens(client, { email: user, password }, tenant);
    const expiresAt = Date.now() + expiresIn * 1_000;
    writeSession({ url: normalised(url), email: user, accessToken, refreshToken, expiresAt });
    const me = await new BankClient({ baseUrl: url, accessToken }).getMe();
    say(onOneLine(`Signed in as ${me.displayName ?? me.email} (${me.role}) of ${me.tenant.name}`));
    for (const { id, name } of me.companies) say(onOneLine(`company ${id}  ${name}`));
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    refuse('not signed in');
  }
}

async function tokens(
  client: BankClient,
  person: { readonly email: string; readonly password: string },
  tenantId: string | undefined,
): Promise<TokenPair> {
  try {
    return await client.logIn({ ...person, ...(tenantId === undefined ? {} : { tenantId }) });
  } catch (error) {
    if (!(error instanceof BankError) || error.code !== 'TENANT_REQUIRED') throw error;
    const tenants = error.meta.tenants as Tenants;
    for (const [at, { id, name }] of tenants.entries()) sayError(onOneLine(`${at + 1}  ${id}  ${name}`));
    // Without a terminal nobody can choose: the list says what --tenant takes.
    if (process.stdin.isTTY !== true) throw error;
    const chosen = tenants[Number(await ask('Which tenant? ')) - 1];
    if (chosen === undefined) throw new NoAnswer('none of these');
    return client.logIn({ ...person, tenantId: chosen.id });
  }
}

/** What is kept here is gone even where the service does not answer, or the file cannot be used. */
async function logOut(): Promise<void> {
  let session: ReturnType<typeof readSession> = null;
  try {
    session = readSession();
    if (session === null) return say('Nobody was signed in');
  } catch (error) {
    if (!(error instanceof SessionFileError)) throw error;
    sayError(`${error.message}. It is removed; its session ends by itself within 30 days`);
  } finally {
    removeSession();
  }
  if (session === null) return;
  await reported(session.url, async () => {
    await new BankClient({ baseUrl: session.url, maxAttempts: 1 }).logOut({ refreshToken: session.refreshToken });
    say('Signed out');
  });
}
