import type { Reference } from './document.ts';
import { Markdown } from './markdown.tsx';
import { Method } from './method.tsx';
import { to } from './place.ts';

/** What it is, how one gets in, and every operation by its group. */
export function Overview({ reference }: { readonly reference: Reference }) {
  const { title, version, groups } = reference;
  return (
    <div class="welcome">
      <header class="stack">
        <h1 tabIndex={-1}>{title}</h1>
        <p class="muted">
          Version {version} of the contract, at <code>{location.origin}</code>. The document that this page shows is{' '}
          <a href="/openapi.json">/openapi.json</a>.
        </p>
        <p>
          Programs send <code>x-api-key</code> with <code>x-api-secret</code>, people a bearer token from{' '}
          <a href={to('logIn')}>logIn</a>. Authorize once at the top of this page to try operations from here.
        </p>
        <Markdown text={introduction(reference)} />
        <p>
          Each code, what it means and what to do about it: <a href={to('errors')}>error codes</a>.
        </p>
      </header>
      {groups.map(({ name, description, entries }) => (
        <section key={name} class="stack">
          <div>
            <h2>{name}</h2>
            <p class="muted">{description}</p>
          </div>
          <ul class="operations">
            {entries.map(({ operationId, kind, method, path, summary }) => (
              <li key={operationId}>
                <a href={to(operationId)}>
                  <span class="address">
                    {kind === 'operation' && <Method name={method} />}
                    <code>{path}</code>
                  </span>
                  <span>{summary}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** The description's first paragraph without the table's heading, which stands on the page of the error codes. */
function introduction({ description }: Reference): string {
  return (
    description.split('\n\n')[0]?.replace(/ Its `code`: .*$/, ' Branch on its `code`, never on its `message`.') ?? ''
  );
}
