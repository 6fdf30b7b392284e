import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  AuthenticationError,
  BankClient,
  BankError,
  ConflictError,
  NetworkError,
  NotFoundError,
  PermissionError,
  RateLimitedError,
  UnavailableError,
  ValidationError,
} from '../../sdk/src/index.ts';
import { EXIT_CONFIG, sayError } from '../say.ts';
import { SessionEnded, sessionFor, tokenOf } from './session.ts';
import { SessionFileError } from './session-file.ts';

/** Options that every command against the service takes. */
export type ServiceOptions = { readonly url: string; readonly company?: string; readonly json?: boolean };

/** By kind of failure; 1 is any other. */
const EXIT_CODES = [
  [AuthenticationError, 3],
  [PermissionError, 3],
  [SessionEnded, 3],
  [NotFoundError, 4],
  [ConflictError, 5],
  [RateLimitedError, 7],
  [UnavailableError, 7],
  [NetworkError, 7],
  [ValidationError, 6],
  [SessionFileError, EXIT_CONFIG],
] as const;

export function addUrl(command: Command): Command {
  return command.addOption(
    new Option('--url <url>', 'where the service answers')
      .env('BANK_URL')
      .default('http://127.0.0.1:3000')
      .argParser((text) => {
        if (!URL.canParse(text)) throw new InvalidArgumentError('must be an address such as https://bank.example.');
        return text;
      }),
  );
}

/** The options of every command against the service. */
export function onService(command: Command): Command {
  return addUrl(command)
    .option('--company <id>', 'the company; needed to change something (BANK_COMPANY)')
    .option('--json', 'JSON, one object a line, for scripts');
}

/** The headers of the last answer. */
export type LastHeaders = () => Headers | null;

/**
 * Runs a command with a client for the service at the address. The credentials are `BANK_API_KEY` with
 * `BANK_API_SECRET`, or `BANK_ACCESS_TOKEN`, or else the session of `bank login` with that service. A failure is
 * printed and becomes the exit code.
 */
export function withClient(
  options: ServiceOptions,
  use: (client: BankClient, lastHeaders: LastHeaders) => Promise<void>,
): Promise<void> {
  return reported(options.url, async () => {
    const credentials = credentialsFor(options.url);
    if (credentials === null) {
      sayError('BANK_API_KEY and BANK_API_SECRET, BANK_ACCESS_TOKEN, or a session (bank login): required');
      process.exitCode = EXIT_CONFIG;
      return;
    }
    let last: Headers | null = null;
    const company = options.company ?? process.env.BANK_COMPANY;
    const client = new BankClient({
      baseUrl: options.url,
      ...(company === undefined ? {} : { company }),
      ...credentials,
      async fetch(url, init) {
        const answer = await fetch(url, init);
        last = answer.headers;
        return answer;
      },
    });
    await use(client, () => last);
  });
}

type Credentials =
  | { readonly apiKey: string; readonly apiSecret: string }
  | { readonly accessToken: string | (() => Promise<string>) };

/** Those of the environment prevail, also where they are incomplete. @throws SessionFileError */
function credentialsFor(url: string): Credentials | null {
  const { BANK_API_KEY: apiKey, BANK_API_SECRET: apiSecret, BANK_ACCESS_TOKEN: accessToken } = process.env;
  if (apiKey && apiSecret) return { apiKey, apiSecret };
  if (accessToken) return { accessToken };
  if (apiKey || apiSecret || sessionFor(url) === null) return null;
  return { accessToken: () => tokenOf(url) };
}

/** Prints a failure of what is done, which becomes the exit code. */
export async function reported(url: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    sayError(wordsOf(error, url));
    process.exitCode = EXIT_CODES.find(([kind]) => error instanceof kind)?.[1] ?? 1;
  }
}

/** Failures of this program's own whose message says all. */
const NAMED = [SessionEnded, SessionFileError, InvalidArgumentError];

/** @throws what is no failure of a call, since that is a fault of this program */
function wordsOf(error: unknown, url: string): string {
  if (error instanceof NetworkError) return `${url} does not answer`;
  if (NAMED.some((kind) => error instanceof kind)) return (error as Error).message;
  if (!(error instanceof BankError)) throw error;
  const issues = error instanceof ValidationError ? error.issues : [];
  const lines = issues.map(({ path, message }) => `  ${path}: ${message}`);
  const { required } = error.meta;
  const lacking = error instanceof PermissionError && typeof required === 'string' ? ` (${required})` : '';
  return [`${error.message}${lacking}`, ...lines, `request ${error.requestId}`].join('\n');
}
