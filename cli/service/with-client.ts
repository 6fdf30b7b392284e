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

/** Options that every command against the service takes. */
export type ServiceOptions = { readonly url: string; readonly company?: string; readonly json?: boolean };

/** By kind of failure; 1 is any other. */
const EXIT_CODES = [
  [AuthenticationError, 3],
  [PermissionError, 3],
  [NotFoundError, 4],
  [ConflictError, 5],
  [RateLimitedError, 7],
  [UnavailableError, 7],
  [NetworkError, 7],
  [ValidationError, 6],
] as const;

/**
 * Runs a command with a client for the service at the address. The credentials come from the environment only:
 * `BANK_API_KEY` with `BANK_API_SECRET`, or `BANK_ACCESS_TOKEN`. A failure is printed and becomes the exit code.
 */
export async function withClient(options: ServiceOptions, use: (client: BankClient) => Promise<void>): Promise<void> {
  const { BANK_API_KEY: apiKey, BANK_API_SECRET: apiSecret, BANK_ACCESS_TOKEN: accessToken } = process.env;
  const company = options.company ?? process.env.BANK_COMPANY;
  const common = { baseUrl: options.url, ...(company === undefined ? {} : { company }) };
  try {
    if (apiKey && apiSecret) return await use(new BankClient({ ...common, apiKey, apiSecret }));
    if (accessToken) return await use(new BankClient({ ...common, accessToken }));
    sayError('BANK_API_KEY and BANK_API_SECRET, or BANK_ACCESS_TOKEN: required');
    process.exitCode = EXIT_CONFIG;
  } catch (error) {
    sayError(wordsOf(error, options.url));
    process.exitCode = EXIT_CODES.find(([kind]) => error instanceof kind)?.[1] ?? 1;
  }
}

/** @throws what is no failure of a call, since that is a fault of this program */
function wordsOf(error: unknown, url: string): string {
  if (error instanceof NetworkError) return `${url} does not answer`;
  if (!(error instanceof BankError)) throw error;
  const issues = error instanceof ValidationError ? error.issues : [];
  const lines = issues.map(({ path, message }) => `  ${path}: ${message}`);
  const { required } = error.meta;
  const lacking = error instanceof PermissionError && typeof required === 'string' ? ` (${required})` : '';
  return [`${error.message}${lacking}`, ...lines, `request ${error.requestId}`].join('\n');
}
