import { type DestinationStream, type Logger, pino } from 'pino';

const REMOVED = ['apiSecret', 'password', 'credentials', 'headers', 'authorization'];

/** JSON lines, one a log entry; on a terminal a line for people. What could hold a secret is cut out wherever it stands. */
export function createLogger(level: string, destination: DestinationStream = standardOutput()): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...REMOVED, ...REMOVED.map((name) => `*.${name}`)], censor: '[removed]' },
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
