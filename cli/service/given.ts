import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { onService, type ServiceOptions } from './with-client.ts';

/** Options of commands that list. */
export type Listing = ServiceOptions & { readonly limit: number; readonly filter: Readonly<Record<string, string>> };

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('must be a whole number of at least 1.');
  return Number(text);
}

export function filterOf(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be name=value, such as currency=EUR.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

export function limited(command: Command): Command {
  return onService(command).option('-n, --limit <count>', 'how many at most', wholeNumber, 50);
}

export function listing(command: Command): Command {
  return limited(command).option(
    '-f, --filter <name=value>',
    'a filter of the API, several times if need be',
    filterOf,
    {},
  );
}

/** A file, or standard input for `-`. @throws InvalidArgumentError */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch {
    throw new InvalidArgumentError(`${file} cannot be read as JSON.`);
  }
}
