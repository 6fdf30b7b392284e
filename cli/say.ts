/** Exit code for a wrong configuration, as for `npm start` (EX_CONFIG of sysexits). */
export const EXIT_CONFIG = 78;

export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function sayError(line: string): void {
  process.stderr.write(`${line}\n`);
}

const counts = new Intl.NumberFormat('en');

export function count(number: number): string {
  return counts.format(number);
}
