import type { Entry, Reference, Response } from './document.ts';
import { Example } from './example.tsx';
import { Fold } from './fold.tsx';
import { inline } from './markdown.tsx';
import { to } from './place.ts';
import { shapeOf } from './schema.ts';
import { FieldHead, FieldText, SchemaTree } from './schema-tree.tsx';

type Props = { readonly entry: Entry; readonly reference: Reference };

/** What may come back, by status; failures with their codes. */
export function Answers({ entry, reference }: Props) {
  return (
    <section class="stack">
      <h2>{entry.kind === 'message' ? 'What your server answers' : 'Answers'}</h2>
      <div class="answers">
        {Object.entries(entry.responses).map(([status, response]) => (
          <AnswerOf key={status} status={status} response={response} entry={entry} reference={reference} />
        ))}
      </div>
    </section>
  );
}

type AnswerProps = Props & { readonly status: string; readonly response: Response };

function AnswerOf({ status, response, entry, reference }: AnswerProps) {
  const codes = (entry['x-error-codes'] ?? []).filter((code) => String(reference.codes.get(code)?.status) === status);
  const isFailure = codes.length > 0;
  const title = (
    <>
      <span class={`status ${isFailure ? 'bad' : 'good'}`}>{status}</span>{' '}
      {isFailure ? (
        <span class="muted small">{codes.join(', ')}</span>
      ) : (
        <span>{inline(response.description ?? '')}</span>
      )}
    </>
  );
  return (
    <Fold title={title} open={entry.kind === 'operation' && status.startsWith('2')}>
      {() => (
        <div class="one-answer stack">
          {isFailure && <CodeList codes={codes} reference={reference} />}
          <Contents response={response} reference={reference} />
          <Headers response={response} reference={reference} />
        </div>
      )}
    </Fold>
  );
}

function CodeList({ codes, reference }: { readonly codes: readonly string[]; readonly reference: Reference }) {
  return (
    <ul class="codes">
      {codes.map((code) => (
        <li key={code}>
          <a class="mono" href={to('errors', code)}>
            {code}
          </a>{' '}
          {inline(reference.codes.get(code)?.summary ?? '')}
        </li>
      ))}
    </ul>
  );
}

type PartProps = { readonly response: Response; readonly reference: Reference };

function Contents({ response: { content = {} }, reference }: PartProps) {
  return (
    <>
      {Object.entries(content).map(([media, { schema = {}, example }]) => (
        <div key={media} class="stack">
          <p class="small muted">
            <code>{media}</code>
          </p>
          {example !== undefined && <Example title="Example of the answer" value={example} />}
          <SchemaTree
            schema={schema}
            schemas={reference.schemas}
            marked="optional"
            label={`Members of the answer as ${media}`}
          />
        </div>
      ))}
    </>
  );
}

function Headers({ response: { headers = {} }, reference }: PartProps) {
  const all = Object.entries(headers);
  if (all.length === 0) return null;
  return (
    <div class="stack">
      <h3>Headers</h3>
      <ul class="members">
        {all.map(([name, { schema = {}, description = '' }]) => {
          const shape = { ...shapeOf(schema, reference.schemas), description };
          return (
            <li key={name}>
              <FieldHead name={name} shape={shape} mark={null} />
              <FieldText shape={shape} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
