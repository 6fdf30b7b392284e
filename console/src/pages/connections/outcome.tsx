import type { ComponentProps } from 'preact';
import { StateWord } from '../../parts/state-word.tsx';

type Props = {
  readonly tone: ComponentProps<typeof StateWord>['tone'];
  readonly word: string;
  /** Why, where it failed. */
  readonly error?: { readonly code: string; readonly message: string } | null;
};

/** How something ended, and why where it failed: the bank's sentence and the service's code. */
export function Outcome({ tone, word, error }: Props) {
  return (
    <>
      <StateWord tone={tone}>{word}</StateWord>
      {error && (
        <span class="small">
          {' '}
          {error.message} <code>{error.code}</code>
        </span>
      )}
    </>
  );
}
