import { useEffect, useState } from 'preact/hooks';
import { Empty } from '../parts/empty.tsx';
import { SearchField } from '../parts/search-field.tsx';
import type { CodeEntry, Entry, Reference } from './document.ts';
import { Listing } from './example.tsx';
import { Fold } from './fold.tsx';
import { inline } from './markdown.tsx';
import { Method } from './method.tsx';
import { to } from './place.ts';

/** More operations than this are folded. */
const MOST_SHOWN = 6;

/** Every error code: status, sentence, what to do, and which operations answer it. */
export function ErrorsPage({ reference, code }: { readonly reference: Reference; readonly code: string | undefined }) {
  const [text, setText] = useState('');
  useEffect(() => {
    if (code === undefined) return;
    document.getElementById(`code-${code}`)?.scrollIntoView();
    document.querySelector<HTMLElement>(`#code-${CSS.escape(code)} h2`)?.focus();
  }, [code]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = [...reference.codes.values()].filter((one) => {
    const all = `${one.code} ${one.status} ${one.summary} ${one.description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const example = (reference.schemas.Failure as { example?: unknown } | undefined)?.example;
  return (
    <div class="errors">
      <header class="stack">
        <h1 tabIndex={-1}>Error codes</h1>
        <p>
          Every failure has the same envelope. Branch on <code>code</code>, which is stable, never on{' '}
          <code>message</code>. <code>meta.requestId</code> finds the request in the logs of the service.
        </p>
        {example !== undefined && <Listing label="A failure" text={JSON.stringify(example, null, 2)} />}
        <div class="row">
          <SearchField label="Filter codes" value={text} onSearch={setText} />
          <span class="muted small" role="status">
            {shown.length} of {reference.codes.size}
          </span>
        </div>
      </header>
      {shown.length === 0 && <Empty>No code has all of these words.</Empty>}
      <div class="code-entries">
        {shown.map((one) => (
          <CodeArticle key={one.code} entry={one} reference={reference} isChosen={one.code === code} />
        ))}
      </div>
    </div>
  );
}

type ArticleProps = { readonly entry: CodeEntry; readonly reference: Reference; readonly isChosen: boolean };

function CodeArticle({ entry: { code, status, summary, description, entries }, reference, isChosen }: ArticleProps) {
  const operations = [...reference.entries.values()].filter(({ kind }) => kind === 'operation').length;
  return (
    <article id={`code-${code}`} class={isChosen ? 'chosen' : ''}>
      <h2 tabIndex={-1}>
        <a class="mono" href={to('errors', code)}>
          {code}
        </a>
      </h2>
      <p class="status">{status}</p>
      <div class="stack">
        <p>{inline(summary)}</p>
        <p>
          <span class="muted">What to do:</span> {inline(description)}
        </p>
        {entries.length === 0 && <p class="small muted">Answered where no operation is found.</p>}
        {entries.length === operations && <p class="small muted">Any operation may answer it.</p>}
        {entries.length > MOST_SHOWN && entries.length < operations && (
          <Fold title={<span class="small">{entries.length} operations answer it</span>}>
            {() => <OperationLinks entries={entries} />}
          </Fold>
        )}
        {entries.length > 0 && entries.length <= MOST_SHOWN && <OperationLinks entries={entries} />}
      </div>
    </article>
  );
}

function OperationLinks({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <ul class="operation-links">
      {entries.map(({ operationId, method }) => (
        <li key={operationId}>
          <a href={to(operationId)}>
            <Method name={method} /> {operationId}
          </a>
        </li>
      ))}
    </ul>
  );
}
