import type { RowReferences } from '../../events/bank-transaction.ts';

const TAGS = Object.entries({
  endToEndId: 'EREF+',
  customerReference: 'KREF+',
  mandateId: 'MREF+',
  creditorId: 'CRED+',
  bankReference: 'BREF+',
} as const satisfies Record<keyof RowReferences, string>) as [keyof RowReferences, string][];

/**
 * The interface has no field for references: those that the text does not contain are appended to it with their SEPA
 * tags.
 */
export function describedWith(description: string | null, references: RowReferences | undefined): string | null {
  let text = description;
  for (const [name, tag] of references === undefined ? [] : TAGS) {
    const value = references?.[name];
    if (value === undefined || (description ?? '').includes(value)) continue;
    text = text === null ? `${tag}${value}` : `${text} ${tag}${value}`;
  }
  return text === '' ? null : text;
}
