import type { ComponentProps } from 'preact';
import { BankReason } from '../../parts/bank-words.tsx';
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
        <div class="small">
          <BankReason {...error} />
        </div>
      )}
    </>
  );
}
