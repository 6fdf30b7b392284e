import type { ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { Copy } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { Answers } from './answers.tsx';
import { Body } from './body.tsx';
import type { Entry, Reference } from './document.ts';
import { Markdown } from './markdown.tsx';
import { Method } from './method.tsx';
import { Parameters } from './parameters.tsx';
import { RequestCard } from './request-card.tsx';
import { isTrying } from './trying.ts';

type Props = { readonly entry: Entry; readonly reference: Reference; readonly onAuthorize: () => void };

/** One operation or message: what it does, takes and answers, and a way to try it. */
export function OperationPage({ entry, reference, onAuthorize }: Props) {
  const isOperation = entry.kind === 'operation';
  return (
    <article class="operation">
      <header class="stack">
        <h1 tabIndex={-1}>{entry.summary ?? entry.operationId}</h1>
        {isOperation && (
          <div class="address">
            <Method name={entry.method} />
            <code class="grow">{entry.path}</code>
            <Button
              {...(isTrying.value ? {} : { kind: 'primary' as const })}
              pressed={isTrying.value}
              onClick={() => {
                isTrying.value = !isTrying.value;
              }}
            >
              Try it
            </Button>
          </div>
        )}
        {entry.description !== undefined && <Markdown text={entry.description} />}
        <Facts rows={isOperation ? factsOf(entry) : [['Type', <Copy key="type" text={entry.path} />]]} />
      </header>
      <div class="columns">
        <div class="takes">
          <Parameters entry={entry} schemas={reference.schemas} />
          <Body entry={entry} schemas={reference.schemas} />
        </div>
        {isOperation && (
          <div class="rail">
            <RequestCard entry={entry} reference={reference} onAuthorize={onAuthorize} />
          </div>
        )}
        <div class="gives">
          <Answers entry={entry} reference={reference} />
        </div>
      </div>
    </article>
  );
}

function factsOf(entry: Entry): (readonly [string, ComponentChildren])[] {
  const right = entry['x-required-access'];
  const also = entry['x-also-required-access'];
  return [
    ['Operation', <Copy key="id" text={entry.operationId} />],
    ['Credentials', credentialsOf(entry)],
    ...(right === undefined
      ? []
      : [['Needs', <code key="right">{also === undefined ? right : `${right}, ${also}`}</code>] as const]),
  ];
}

function credentialsOf({ security = [] }: Entry): string {
  if (security.length === 0) return 'None';
  const takesKey = security.some((one) => 'apiKey' in one);
  return takesKey ? 'API key or bearer token' : 'Bearer token';
}
