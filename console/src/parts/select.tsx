import { Field } from './field.tsx';

export type Choice = { readonly value: string; readonly label: string };

type Props = {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly fault?: string | null;
  readonly disabled?: boolean;
  /** The label is there for screen readers only. */
  readonly bare?: boolean;
};

/** The browser's own list, which every device knows how to show. */
export function Select({ label, value, choices, onChange, hint, fault = null, disabled = false, bare = false }: Props) {
  const list = (control: object) => (
    <select
      class="input"
      {...control}
      {...(bare ? { 'aria-label': label } : {})}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
  if (bare) return list({});
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} fault={fault}>
      {list}
    </Field>
  );
}
