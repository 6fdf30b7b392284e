/** Exit code for a wrong configuration, as for `npm start` (EX_CONFIG of sysexits). */
export const EXIT_CONFIG = 78;

export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function sayError(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Says why a command did nothing; its exit code is then 1. */
export function refuse(message: string): void {
  sayError(message);
  process.exitCode = 1;
}

const counts = new Intl.NumberFormat('en');

export function count(number: number): string {
  return counts.format(number);
}
