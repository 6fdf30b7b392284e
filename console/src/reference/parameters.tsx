import { useId } from 'preact/hooks';
import { Select } from '../parts/select.tsx';
import type { Entry, Parameter, Schemas } from './document.ts';
import { fieldOf } from './request.ts';
import { shapeOf } from './schema.ts';
import { FieldHead, FieldText } from './schema-tree.tsx';
import { filledFor, fillParameter, isTrying } from './trying.ts';

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const;

type Props = { readonly entry: Entry; readonly schemas: Schemas };

/** The parameters by place, and beside each a field while one tries the operation. */
export function Parameters({ entry, schemas }: Props) {
  const all = entry.parameters ?? [];
  return (
    <>
      {PLACES.map(([place, title]) => {
        const some = all.filter((one) => one.in === place);
        if (some.length === 0) return null;
        return (
          <section key={place} class="stack">
            <h2>{title}</h2>
            <ul class={`members ${isTrying.value && entry.kind === 'operation' ? 'trying' : ''}`}>
              {some.map((one) => (
                <ParameterRow key={one.name} entry={entry} parameter={one} schemas={schemas} />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

function ParameterRow({ entry, parameter, schemas }: Props & { readonly parameter: Parameter }) {
  const id = useId();
  const { name, description = '', schema = {}, required = false } = parameter;
  const shape = { ...shapeOf(schema, schemas), description };
  return (
    <li>
      <div>
        <FieldHead id={`${id}-name`} name={name} shape={shape} mark={required ? 'required' : null} />
        <FieldText id={`${id}-text`} shape={shape} />
      </div>
      {isTrying.value && entry.kind === 'operation' && (
        <ParameterField id={id} entry={entry} parameter={parameter} values={schema.enum ?? []} />
      )}
    </li>
  );
}

type FieldProps = {
  readonly id: string;
  readonly entry: Entry;
  readonly parameter: Parameter;
  readonly values: readonly unknown[];
};

function ParameterField({ id, entry, parameter, values }: FieldProps) {
  const value = filledFor(entry).values[fieldOf(parameter)] ?? '';
  const take = (next: string): void => fillParameter(entry, parameter, next);
  if (values.length > 0) {
    const choices = values.map((one) => ({ value: String(one), label: String(one) }));
    return (
      <div class="field">
        <Select
          bare
          label={parameter.name}
          value={value}
          choices={[{ value: '', label: 'not sent' }, ...choices]}
          onChange={take}
        />
      </div>
    );
  }
  return (
    <div class="field">
      <input
        class="input mono"
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-text`}
        autoComplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => take(event.currentTarget.value)}
      />
    </div>
  );
}
