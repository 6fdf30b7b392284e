import type { ComponentChildren } from 'preact';

/**
 * The little Markdown that the document's texts use: paragraphs and `code`. Tables are left out, since they list the
 * error codes, which have a page of their own.
 */
export function Markdown({ text }: { readonly text: string }) {
  const paragraphs = text.split(/\n{2,}/).filter((one) => one !== '' && !one.startsWith('|'));
  return (
    <>
      {paragraphs.map((one) => (
        <p key={one}>{inline(one)}</p>
      ))}
    </>
  );
}

/** A text of one line. */
export function inline(text: string): ComponentChildren {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}
