/** `RF` starts a creditor reference (ISO 11649), which has the same form. */
const IBAN = /^(?!RF)[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
const IBAN_INSIDE = /(?<![A-Z0-9])[A-Z]{2}\d{2}[A-Z0-9]{11,30}(?![A-Z0-9])/g;

/**
 * An account number that the bank states, without spaces, if it has the form of an IBAN (ISO 13616); null otherwise.
 * Its check digits are the bank's responsibility and are not verified.
 */
export function statedIban(text: string | null | undefined): string | null {
  const compact = (text ?? '').replace(/\s+/g, '').toUpperCase();
  return IBAN.test(compact) ? compact : null;
}

/** The IBAN for the 26 digits that Polish banks write without the country code. */
export function polishIban(text: string | null | undefined): string | null {
  const digits = (text ?? '').replace(/\s+/g, '');
  return /^\d{26}$/.test(digits) && isValidIban(`PL${digits}`) ? `PL${digits}` : null;
}

/** The only valid IBAN in a free text other than `own`; null for none or several. */
export function onlyIbanIn(text: string, own: string | null): string | null {
  const found = new Set((text.match(IBAN_INSIDE) ?? []).filter(isValidIban));
  if (own !== null) found.delete(own);
  const [only, another] = found;
  return another === undefined ? (only ?? null) : null;
}

/** Verifies the check digits as well (ISO 7064 MOD 97-10): in a free text, the form alone would be a guess. */
function isValidIban(text: string): boolean {
  return IBAN.test(text) && remainder97(text) === 1;
}

function remainder97(iban: string): number {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}
