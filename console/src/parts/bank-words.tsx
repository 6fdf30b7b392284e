import { bankReasonsTr, banksTr } from '../words/banks-tr.ts';
import { failuresTr } from '../words/failures-tr.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';

type Bank = { readonly bankCode: string; readonly name: string };
type Named = Readonly<Record<string, string>>;

/** What a bank is called in the person's language. */
export function nameOfBank({ bankCode, name }: Bank): string {
  return (language.value === 'tr' ? banksTr[bankCode]?.name : undefined) ?? name;
}

/**
 * What the credentials of a bank are called and what is said of them, by name, in the person's language. What is not in
 * here is shown as the bank says it.
 */
export function credentialWords(bankCode: string): Readonly<Record<'labels' | 'hints' | 'faults', Named>> {
  const fields = Object.entries((language.value === 'tr' ? banksTr[bankCode]?.fields : undefined) ?? {});
  return {
    labels: Object.fromEntries(fields.map(([name, { label }]) => [name, label])),
    hints: Object.fromEntries(fields.map(([name, { hint }]) => [name, hint])),
    faults: Object.fromEntries(fields.map(([name, { fault }]) => [name, fault])),
  };
}

type ReasonProps = { readonly code: string; readonly message: string | null | undefined };

/**
 * Why a connector failed: the bank's sentence and the service's code. In a language that connectors do not speak, what
 * the code means, and their own words, which name file and place, under the details.
 */
export function BankReason({ code, message }: ReasonProps) {
  const ours = language.value === 'tr' ? (bankReasonsTr[code] ?? failuresTr[code]) : undefined;
  return (
    <>
      {ours ?? <span lang="en">{message}</span>} <code>{code}</code>
      {ours !== undefined && message && (
        <details class="fold">
          <summary>{common().states.details}</summary>
          <span lang="en">{message}</span>
        </details>
      )}
    </>
  );
}
