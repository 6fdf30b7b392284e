import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { StateWord } from '../parts/state-word.tsx';
import type { Entry, Reference } from './document.ts';
import { Listing } from './example.tsx';
import { to } from './place.ts';
import { pretty } from './pretty.ts';
import type { Outcome } from './send.ts';
import { credentials } from './trying.ts';

/** Besides those that the document declares for the answer. */
const MATTER = new Set(['content-type', 'allow', 'retry-after']);
const STATES = {
  reading: 'The answer is coming in.',
  whole: null,
  cut: 'Only the first 512 KiB are read.',
  stopped: 'Stopped. This is what had come until then.',
} as const;

type Props = {
  readonly entry: Entry;
  readonly reference: Reference;
  readonly outcome: Outcome | null;
  /** Why there is no answer, or no whole one. */
  readonly failure: string | null;
};

/** Status, time, the headers that matter and the body of what came back. */
export function AnswerCard({ entry, reference, outcome, failure }: Props) {
  const element = useRef<HTMLElement>(null);
  // beside a long request the answer would be out of sight
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [outcome?.state, failure]);
  return (
    <section class="card stack" aria-labelledby="answer" ref={element}>
      <h2 id="answer">Answer</h2>
      <div role="status">
        {failure !== null && <p class="bad">No whole answer came: {failure}</p>}
        {outcome !== null && (
          <p class="row">
            <StateWord tone={toneOf(outcome.status)}>{`${outcome.status} ${outcome.statusText}`.trim()}</StateWord>
            <span class="muted small">after {Math.round(outcome.tookMs)} ms</span>
          </p>
        )}
      </div>
      {outcome !== null && <Came entry={entry} reference={reference} outcome={outcome} />}
    </section>
  );
}

function Came({ entry, reference, outcome }: Omit<Props, 'outcome' | 'failure'> & { readonly outcome: Outcome }) {
  const { status, headers, text, state } = outcome;
  const declared = Object.keys(entry.responses[String(status)]?.headers ?? {});
  const shown = headers.filter(([name]) => MATTER.has(name) || declared.includes(name));
  const body = state === 'whole' ? pretty(text) : text;
  return (
    <>
      <Known text={text} state={state} reference={reference} />
      <Facts rows={shown.map(([name, value]) => [name, <code key={name}>{value}</code>] as const)} />
      {STATES[state] !== null && <p class="small muted">{STATES[state]}</p>}
      {text === '' ? (
        <p class="small muted">The answer has no body.</p>
      ) : (
        <Listing label="Body of the answer" text={body} copy="body" />
      )}
    </>
  );
}

/** What the page itself can do with an answer: explain a code, take a token. */
function Known({ text, state, reference }: Pick<Outcome, 'text' | 'state'> & { readonly reference: Reference }) {
  if (state !== 'whole') return null;
  const { code, result } = parsed(text);
  const known = typeof code === 'string' ? reference.codes.get(code) : undefined;
  const token = (result as { accessToken?: unknown } | null | undefined)?.accessToken;
  return (
    <>
      {known !== undefined && (
        <p>
          <a class="mono" href={to('errors', known.code)}>
            {known.code}
          </a>{' '}
          {known.description}
        </p>
      )}
      {typeof token === 'string' && (
        <p>
          <Button
            onClick={() => {
              credentials.value = { ...credentials.value, token };
            }}
          >
            {credentials.value.token === token ? 'The token is in use' : 'Authorize with this token'}
          </Button>
        </p>
      )}
    </>
  );
}

function parsed(text: string): { readonly code?: unknown; readonly result?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function toneOf(status: number): 'good' | 'warn' | 'bad' {
  if (status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}
