import { type Logger, symbols } from 'pino';

type Destination = { readonly write: (line: string) => unknown };

/** Writes a line that another thread's logger has made to where this logger writes its own. */
export function passOnLine(logger: Logger, line: string): void {
  const { [symbols.streamSym]: destination } = logger as unknown as Record<symbol, Destination | undefined>;
  destination?.write(line);
}
