import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';

type FieldProps = {
  readonly label: string;
  readonly hint?: string;
  /** What is wrong with it, in words. */
  readonly fault?: string | null;
  /** The control gets the id, and what describes it. */
  readonly children: (control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ComponentChildren;
};

/** A label over a control, a hint and a fault below. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const below = fault ?? hint;
  const control = {
    id,
    ...(below ? { 'aria-describedby': `${id}-below` } : {}),
    ...(fault ? { 'aria-invalid': true as const } : {}),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(control)}
      {below && (
        <p id={`${id}-below`} class={fault ? 'bad small' : 'muted small'}>
          {below}
        </p>
      )}
    </div>
  );
}

export type InputProps = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string;
  readonly fault?: string | null;
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'time';
  readonly name?: string;
  readonly autoComplete?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly list?: string;
  readonly inputRef?: Ref<HTMLInputElement>;
  /** More than one line. */
  readonly lines?: number;
  readonly inputMode?: 'text' | 'decimal' | 'numeric';
};

export function TextField({ label, hint, fault = null, ...input }: InputProps) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })} fault={fault}>
      {(control) => <Control {...control} {...input} />}
    </Field>
  );
}

function Control({ onInput, inputRef, lines, ...rest }: Omit<InputProps, 'label' | 'hint' | 'fault'> & { id: string }) {
  const take = (event: { currentTarget: { value: string } }): void => onInput(event.currentTarget.value);
  if (lines !== undefined) {
    const { type: _type, list: _list, ...area } = rest;
    return <textarea class="input" rows={lines} {...area} onInput={take} />;
  }
  // The types of Preact know for each type of input which roles it may have; here the type is a value.
  const { type = 'text', ...others } = rest;
  return <input ref={inputRef ?? null} class="input" {...others} type={type as 'text'} onInput={take} />;
}

type CheckProps = {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly hint?: string;
};

export function Check({ label, checked, onChange, disabled = false, hint }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint && <span class="muted small"> {hint}</span>}
      </span>
    </label>
  );
}
