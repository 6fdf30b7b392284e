import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Select } from '../parts/select.tsx';
import { AnswerCard } from './answer-card.tsx';
import type { Entry, Reference } from './document.ts';
import { Listing } from './example.tsx';
import { credentialFor, curlOf, exampleRequest, prepare } from './request.ts';
import { type Outcome, send } from './send.ts';
import { credentials, fill, filledFor, isTrying } from './trying.ts';

type Props = { readonly entry: Entry; readonly reference: Reference; readonly onAuthorize: () => void };

/** The request as a command; while one tries the operation exactly what is sent, and what came back. */
export function RequestCard({ entry, reference, onAuthorize }: Props) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const ending = useRef<AbortController | null>(null);
  // a request whose page was left is ended
  useEffect(() => () => ending.current?.abort(), []);
  const trying = isTrying.value;
  const prepared = trying ? prepare(entry, filledFor(entry), credentials.value) : exampleRequest(entry);
  const go = (): void => {
    const own = new AbortController();
    ending.current = own;
    setSending(true);
    setFailure(null);
    setOutcome(null);
    send(prepared, own.signal, setOutcome)
      .catch((error: unknown) => {
        if (!own.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
      })
      .finally(() => setSending(false));
  };
  const mayGo = prepared.missing.length === 0 && !isSending;
  return (
    <>
      <section class="card stack" aria-labelledby="request">
        <h2 id="request">{trying ? 'Your request' : 'Request'}</h2>
        <Listing label="The request for curl" copy="curl" text={curlOf(prepared, location.origin)} />
        {trying && (
          <>
            <Lacking entry={entry} onAuthorize={onAuthorize} />
            <AcceptField entry={entry} />
            {prepared.missing.length > 0 && (
              <p class="small muted">Fill in {prepared.missing.join(' and ')} first: without it there is no address.</p>
            )}
            <div class="row">
              <Button kind="primary" busy={isSending} disabled={!mayGo} onClick={go}>
                Send
              </Button>
              {isSending && <Button onClick={() => ending.current?.abort()}>Stop</Button>}
            </div>
          </>
        )}
      </section>
      {trying && (outcome !== null || failure !== null) && (
        <AnswerCard entry={entry} reference={reference} outcome={outcome} failure={failure} />
      )}
    </>
  );
}

/** Says what the operation needs and nobody gave; it can be sent nevertheless, to see what the service answers. */
function Lacking({ entry, onAuthorize }: { readonly entry: Entry; readonly onAuthorize: () => void }) {
  if (credentialFor(entry, credentials.value) !== 'lacking') return null;
  const takesKey = entry.security?.some((one) => 'apiKey' in one) ?? false;
  return (
    <p class="note">
      {takesKey ? 'It needs an API key with its secret, or a bearer token.' : 'It needs a bearer token.'}
      <Button onClick={onAuthorize}>Authorize</Button>
    </p>
  );
}

/** Where there are several forms of the answer. */
function AcceptField({ entry }: { readonly entry: Entry }) {
  const media = Object.keys(entry.responses['200']?.content ?? {});
  if (media.length < 2) return null;
  return (
    <Select
      label="accept"
      value={filledFor(entry).accept}
      choices={[{ value: '', label: 'not sent' }, ...media.map((one) => ({ value: one, label: one }))]}
      onChange={(accept) => fill(entry, { accept })}
    />
  );
}
