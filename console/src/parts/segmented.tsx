import { useId } from 'preact/hooks';
import type { Choice } from './select.tsx';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  readonly disabled?: boolean;
};

/** Two to five choices that are all in sight. Radio buttons: one tab stop, arrows choose. */
export function Segmented({ label, value, choices, onChange, disabled = false }: Props) {
  const name = useId();
  return (
    <fieldset class="segmented" disabled={disabled}>
      <legend class="hidden">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>{choice.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
