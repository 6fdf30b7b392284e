import { useState } from 'preact/hooks';
import { common as words } from '../words/index.ts';
import { Button } from './button.tsx';
import { Check, TextField } from './field.tsx';
import { fieldsOf, type SchemaField } from './schema-fields.ts';
import { Select } from './select.tsx';

type Props = {
  /** A JSON Schema of an object, as the catalogue and the analytics give. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: Readonly<Record<string, unknown>>;
  /** The whole object, without what was emptied. */
  readonly onChange: (value: Record<string, unknown>) => void;
  /** Faults by name, such as `meta.issues` of a refused call. */
  readonly faults?: Readonly<Record<string, string>>;
  /** Names that are not asked for here. */
  readonly without?: readonly string[];
  /** What a name is called; by default the schema's title, else the name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What is said of a name; by default the schema's description. */
  readonly hints?: Readonly<Record<string, string>>;
};

/** The fields of an object by its JSON Schema: text, secrets, numbers, days, yes or no, one or several of a list. */
export function SchemaForm({ schema, value, onChange, faults = {}, without = [], labels = {}, hints = {} }: Props) {
  const set = (name: string, given: unknown): void => {
    const { [name]: _, ...others } = value;
    onChange(given === undefined || given === '' ? others : { ...others, [name]: given });
  };
  return (
    <>
      {fieldsOf(schema)
        .filter(({ name }) => !without.includes(name))
        .map((field) => (
          <SchemaControl
            key={field.name}
            field={{ ...field, label: labels[field.name] ?? field.label, ...hintOf(hints[field.name] ?? field.hint) }}
            value={value[field.name]}
            fault={faults[field.name] ?? null}
            onSet={(given) => set(field.name, given)}
          />
        ))}
    </>
  );
}

const hintOf = (hint: string | undefined) => (hint === undefined ? {} : { hint });

type ControlProps = {
  readonly field: SchemaField;
  readonly value: unknown;
  readonly fault: string | null;
  readonly onSet: (value: unknown) => void;
};

function SchemaControl({ field, value, fault, onSet }: ControlProps) {
  const { name, label, kind, hint, required, choices } = field;
  const common = { label, fault, ...hintOf(hint) };
  if (kind === 'boolean')
    return <Check label={label} checked={value === true} onChange={onSet} {...(hint ? { hint } : {})} />;
  if (kind === 'choice') {
    const all = required ? choices : [{ value: '', label: '—' }, ...choices];
    return <Select {...common} value={String(value ?? '')} choices={all} onChange={onSet} />;
  }
  if (kind === 'json') return <JsonControl {...common} value={value} onSet={onSet} />;
  if (kind === 'object') {
    const inner = (value ?? {}) as Record<string, unknown>;
    return (
      <fieldset class="stack inner">
        <legend>{label}</legend>
        {value === undefined && !required ? (
          <Button icon="add" onClick={() => onSet({})}>
            {label}
          </Button>
        ) : (
          <SchemaForm schema={field.schema} value={inner} onChange={onSet} />
        )}
      </fieldset>
    );
  }
  const text = kind === 'list' && Array.isArray(value) ? value.join(', ') : String(value ?? '');
  const take = (given: string): void => {
    if (kind === 'list') onSet(given === '' ? undefined : given.split(',').map((one) => one.trim()));
    else if (kind === 'number') onSet(given === '' ? undefined : Number(given));
    else onSet(given);
  };
  const types = { secret: 'password', number: 'number', day: 'date' } as const;
  const type = kind in types ? types[kind as keyof typeof types] : 'text';
  return (
    <TextField
      {...common}
      name={name}
      value={text}
      onInput={take}
      type={type}
      required={required}
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
    />
  );
}

type JsonProps = {
  readonly label: string;
  readonly hint?: string;
  readonly fault: string | null;
  readonly value: unknown;
  readonly onSet: (value: unknown) => void;
};

/** A structure that its schema only describes: written as JSON. What is no object yet is given as the text it is. */
function JsonControl({ value, onSet, fault, ...field }: JsonProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const isOpen = text !== '' && objectOf(text) === null;
  const take = (given: string): void => {
    setText(given);
    onSet(given === '' ? undefined : (objectOf(given) ?? given));
  };
  return <TextField {...field} fault={isOpen ? words().form.noObject : fault} lines={4} value={text} onInput={take} />;
}

function objectOf(text: string): object | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
