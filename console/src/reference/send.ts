import type { Prepared } from './request.ts';

/** More of an answer than this is neither read nor shown. */
const MOST_CHARACTERS = 512 * 1_024;
const SHOWN_EVERY_MS = 200;

export type Outcome = {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** `reading` while an answer comes in, such as a stream of events, which has no end. */
  readonly state: 'reading' | 'whole' | 'cut' | 'stopped';
  /** Until the headers were there. */
  readonly tookMs: number;
};

/**
 * Sends what was prepared, and neither sends nor keeps cookies. `onOutcome` is called with what is there so far.
 * @throws Error when no answer came; not when it was stopped
 */
export async function send(
  { method, path, headers, authorization, body }: Prepared,
  signal: AbortSignal,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  const started = performance.now();
  const answer = await fetch(path, {
    method,
    headers: new Headers([...authorization, ...headers].map(([name, value]): [string, string] => [name, value])),
    body,
    credentials: 'omit',
    signal,
  });
  const tookMs = performance.now() - started;
  let text = '';
  const outcome = (state: Outcome['state']): void =>
    onOutcome({
      status: answer.status,
      statusText: answer.statusText,
      headers: [...answer.headers],
      text,
      state,
      tookMs,
    });
  outcome('reading');
  let showing: ReturnType<typeof setTimeout> | undefined;
  const showSoon = (): void => {
    showing ??= setTimeout(() => {
      showing = undefined;
      outcome('reading');
    }, SHOWN_EVERY_MS);
  };
  try {
    for await (const part of texts(answer)) {
      text += part;
      if (text.length > MOST_CHARACTERS) break;
      showSoon();
    }
    clearTimeout(showing);
    const isCut = text.length > MOST_CHARACTERS;
    if (isCut) text = text.slice(0, MOST_CHARACTERS);
    outcome(isCut ? 'cut' : 'whole');
  } catch (error) {
    clearTimeout(showing);
    if (!signal.aborted) throw error;
    outcome('stopped');
  }
}

async function* texts({ body }: Response): AsyncIterable<string> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    // What is left of a longer answer is not fetched.
    await reader.cancel().catch(() => undefined);
  }
}
