import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export type Terminal = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
};

/** The answer was not given: the input ended, or it was interrupted. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Questions go to standard error, since the output may be piped. */
const TERMINAL: Terminal = { input: process.stdin, output: process.stderr };

/** Asks on the terminal; what is typed is not shown where `hidden`. @throws NoAnswer */
export function ask(question: string, { hidden = false, terminal = TERMINAL } = {}): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { input, output } = terminal;
  return new Promise((resolve, reject) => {
    // With `terminal` readline itself writes what is typed, and the terminal does not.
    const lines = createInterface({ input, output: hidden ? nowhere : output, terminal: true });
    if (hidden) output.write(question);
    else {
      lines.setPrompt(question);
      lines.prompt();
    }
    let hasEnded = false;
    // Closing needs the listeners of readline itself: without them what is typed next would still be shown.
    const end = (act: () => void): void => {
      if (hasEnded) return;
      hasEnded = true;
      lines.close();
      if (hidden) output.write('\n');
      act();
    };
    lines.once('line', (line) => end(() => resolve(line)));
    lines.once('SIGINT', () => end(() => reject(new NoAnswer('interrupted'))));
    lines.once('close', () => end(() => reject(new NoAnswer('no answer'))));
  });
}

/** The first line of an input that is no terminal; empty where there is none. */
export async function firstLine(input: NodeJS.ReadableStream = process.stdin): Promise<string> {
  const lines = createInterface({ input });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}
