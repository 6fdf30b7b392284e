import { type Config, readConfig } from '../src/config.ts';
import { EXIT_CONFIG, sayError } from './say.ts';

/** The configuration of the environment; null where it is wrong, which is then said and is the exit code. */
export function readConfiguration(): Config | null {
  const read = readConfig(process.env);
  if (read.ok) return read.config;
  for (const fault of read.faults) sayError(fault);
  process.exitCode = EXIT_CONFIG;
  return null;
}
