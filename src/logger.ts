import { type DestinationStream, type Logger, pino } from 'pino';

const CENSOR = '[removed]';
const REMOVED = [
  'accessToken',
  'apiSecret',
  'authorization',
  'cookie',
  'credentials',
  'currentPassword',
  'headers',
  'newPassword',
  'password',
  'refreshToken',
  'secret',
  'token',
];

/**
 * Masked in texts from elsewhere, above all error messages: the user and password of a connection string, a bearer
 * token, a JWT, and our own secrets by their prefix.
 */
const SECRETS_IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/:\/\/[^\s"/?#@]+@/g, `://${CENSOR}@`],
  [/\bBearer [^\s"\\]+/gi, `Bearer ${CENSOR}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, CENSOR],
  [/\bbc[rs]_[\w.-]+/g, CENSOR],
];

function masked(line: string): string {
  return SECRETS_IN_TEXT.reduce((text, [secret, replacement]) => text.replace(secret, replacement), line);
}

/** JSON, one line per log entry; on a terminal a readable line. Anything that could be a secret is masked. */
export function createLogger(level: string, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...REMOVED, ...REMOVED.map((name) => `*.${name}`)], censor: CENSOR },
    hooks: { streamWrite: masked },
  };
  return pino(options, destination);
}

function standardOutput(): DestinationStream {
  if (!process.stdout.isTTY) return pino.destination({ fd: 1, sync: false });
  return { write: (line) => process.stdout.write(forPeople(line)) };
}

function forPeople(line: string): string {
  const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const rest = Object.entries(fields).map(([name, value]) => {
    return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  return `${String(time).slice(11, 19)} ${String(level).toUpperCase().padEnd(5)} ${String(msg)} ${rest.join(' ')}\n`;
}
