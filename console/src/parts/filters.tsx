import { useState } from 'preact/hooks';
import type { Kind, Schema } from '../address.ts';
import type { Address } from '../use-address.ts';
import { common } from '../words/index.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Icon } from './icon.tsx';
import { Popover } from './popover.tsx';
import { type Choice, Select } from './select.tsx';

/** One filter of a list. Its key is a name of the page's schema. */
export type FilterField = {
  readonly key: string;
  readonly label: string;
  readonly type: 'text' | 'amount' | 'day' | 'choice';
  readonly choices?: readonly Choice[];
  /** How the chip writes the value; by default the choice's label or the text. */
  readonly show?: (value: string) => string;
};

type Props<S extends Schema> = {
  readonly fields: readonly FilterField[];
  readonly schema: S;
  readonly address: Address<S>;
};

/** The filters that are set as chips, each with its form, and a button that adds one. Their truth is the address. */
export function Filters<S extends Schema>({ fields, schema, address }: Props<S>) {
  const w = common().filters;
  const written = (key: string): string | undefined => {
    const value = address.values[key];
    return value === undefined ? undefined : (schema[key] as unknown as Kind<unknown>).write(value);
  };
  const set = (key: string, text: string | undefined): void => {
    const value = text === undefined ? undefined : (schema[key] as unknown as Kind<unknown>).read(text.trim());
    address.set({ [key]: value } as Parameters<typeof address.set>[0]);
  };
  const chosen = fields.filter(({ key }) => address.values[key] !== undefined);
  const others = fields.filter(({ key }) => address.values[key] === undefined);
  return (
    <div class="chips">
      {chosen.map((field) => (
        <Chip key={field.key} field={field} value={written(field.key) ?? ''} onSet={(text) => set(field.key, text)} />
      ))}
      {others.length > 0 && (
        <Popover label={w.add} icon="add">
          {(close) => (
            <NewFilter
              fields={others}
              onSet={(key, text) => {
                set(key, text);
                close();
              }}
            />
          )}
        </Popover>
      )}
      {chosen.length > 1 && (
        <Button
          kind="quiet"
          onClick={() =>
            address.set(
              Object.fromEntries(chosen.map(({ key }) => [key, undefined])) as Parameters<typeof address.set>[0],
            )
          }
        >
          {w.clear}
        </Button>
      )}
    </div>
  );
}

function shownValue({ type, choices, show }: FilterField, value: string): string {
  if (show !== undefined) return show(value);
  return type === 'choice' ? (choices?.find((choice) => choice.value === value)?.label ?? value) : value;
}

type ChipProps = { readonly field: FilterField; readonly value: string; onSet: (text: string | undefined) => void };

function Chip({ field, value, onSet }: ChipProps) {
  const w = common().do;
  const text = `${field.label}: ${shownValue(field, value)}`;
  return (
    <span class="chip">
      <Popover label={<span class="clip">{text}</span>} name={w.change(text)} kind="quiet">
        {(close) => (
          <FilterForm
            field={field}
            value={value}
            onSet={(given) => {
              onSet(given);
              close();
            }}
          />
        )}
      </Popover>
      <Button kind="quiet" icon="close" label={w.remove(text)} onClick={() => onSet(undefined)} />
    </span>
  );
}

type NewProps = { readonly fields: readonly FilterField[]; onSet: (key: string, text: string) => void };

function NewFilter({ fields, onSet }: NewProps) {
  const [field, setField] = useState<FilterField | null>(null);
  if (field !== null) return <FilterForm field={field} value="" onSet={(text) => onSet(field.key, text)} />;
  return (
    <ul class="menu">
      {fields.map((one) => (
        <li key={one.key}>
          <button type="button" onClick={() => setField(one)}>
            {one.label} <Icon name="right" />
          </button>
        </li>
      ))}
    </ul>
  );
}

type FormProps = { readonly field: FilterField; readonly value: string; onSet: (text: string) => void };

function FilterForm({ field: { label, type, choices = [] }, value, onSet }: FormProps) {
  const [text, setText] = useState(value !== '' ? value : (choices[0]?.value ?? ''));
  return (
    <form
      class="stack filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onSet(text);
      }}
    >
      {type === 'choice' ? (
        <Select label={label} value={text} choices={choices} onChange={setText} />
      ) : (
        <TextField
          label={label}
          value={text}
          onInput={setText}
          type={type === 'day' ? 'date' : 'text'}
          inputMode={type === 'amount' ? 'decimal' : 'text'}
          inputRef={(input) => input?.focus()}
        />
      )}
      <Button kind="primary" type="submit">
        {common().do.apply}
      </Button>
    </form>
  );
}
