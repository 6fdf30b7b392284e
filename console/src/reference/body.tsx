import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import type { Entry, Schemas } from './document.ts';
import { Example } from './example.tsx';
import { exampleBody } from './request.ts';
import { SchemaTree } from './schema-tree.tsx';
import { fill, filledFor, isTrying } from './trying.ts';

const LINES = 12;

/** The request's body: its members, an example, and while one tries the operation a field that begins empty. */
export function Body({ entry, schemas }: { readonly entry: Entry; readonly schemas: Schemas }) {
  const { requestBody } = entry;
  if (requestBody === undefined) return null;
  const [media, { schema = {}, example } = {}] = Object.entries(requestBody.content)[0] ?? [];
  return (
    <section class="stack">
      <h2>{entry.kind === 'message' ? 'Message' : 'Body'}</h2>
      <p class="small muted">
        <code>{media}</code>
        {requestBody.required ? '' : ', may be left out'}
      </p>
      {isTrying.value && entry.kind === 'operation' && <BodyField entry={entry} />}
      {example !== undefined && <Example title="Example of the body" value={example} />}
      <SchemaTree
        schema={schema}
        schemas={schemas}
        marked={entry.kind === 'message' ? 'optional' : 'required'}
        label="Members of the body"
      />
    </section>
  );
}

function BodyField({ entry }: { readonly entry: Entry }) {
  const { body } = filledFor(entry);
  const example = exampleBody(entry);
  return (
    <div class="body-field stack">
      <TextField
        label="Body to send"
        lines={LINES}
        value={body}
        onInput={(next) => fill(entry, { body: next })}
        hint="Sent as it stands; empty: no body is sent."
        fault={faultOf(body)}
      />
      <div class="row">
        {example !== '' && <Button onClick={() => fill(entry, { body: example })}>Start from the example</Button>}
        <Button kind="quiet" disabled={body === ''} onClick={() => fill(entry, { body: '' })}>
          Clear
        </Button>
      </div>
    </div>
  );
}

function faultOf(body: string): string | null {
  if (body.trim() === '') return null;
  try {
    JSON.parse(body);
    return null;
  } catch {
    return 'This is not valid JSON. It would be sent as it stands.';
  }
}
