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
};

/** The fields of an object by its JSON Schema: text, secrets, numbers, days, yes or no, one or several of a list. */
export function SchemaForm({ schema, value, onChange, faults = {}, without = [], labels = {} }: Props) {
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
            field={{ ...field, label: labels[field.name] ?? field.label }}
            value={value[field.name]}
            fault={faults[field.name] ?? null}
            onSet={(given) => set(field.name, given)}
          />
        ))}
    </>
  );
}

type ControlProps = {
  readonly field: SchemaField;
  readonly value: unknown;
  readonly fault: string | null;
  readonly onSet: (value: unknown) => void;
};

function SchemaControl({ field, value, fault, onSet }: ControlProps) {
  const { name, label, kind, hint, required, choices } = field;
  const common = { label, fault, ...(hint === undefined ? {} : { hint }) };
  if (kind === 'boolean')
    return <Check label={label} checked={value === true} onChange={onSet} {...(hint ? { hint } : {})} />;
  if (kind === 'choice') {
    const all = required ? choices : [{ value: '', label: '—' }, ...choices];
    return <Select {...common} value={String(value ?? '')} choices={all} onChange={onSet} />;
  }
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
