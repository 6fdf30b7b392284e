import { lastFour, MASK } from './spans.ts';

const SECRET_PARTS =
  /password|passwd|passphrase|passcode|parola|sifre|secret|token|authoriz|authenticat|cookie|apikey|accesskey|accountkey|credential|privatekey|signingkey|signature|session|bearer|jwt|kennwort|onetime/;
const SECRET_WORDS = new Set(['pin', 'otp', 'pwd', 'pass', 'auth', 'sig', 'cvv', 'cvc', 'tan', 'nonce']);
const NUMBERS = new Set([
  'iban',
  'idno',
  'identityno',
  'identitynumber',
  'nationalid',
  'tckn',
  'tcno',
  'tckimlikno',
  'vkn',
  'vergino',
  'taxno',
  'taxid',
  'taxnumber',
  'cardno',
  'cardnumber',
  'pan',
]);

/**
 * What to show for a value, by its name in any case and with any of - _ . between its words; null: the value itself.
 */
export type ShownFor = (value: string) => string;

export function shownByName(name: string): ShownFor | null {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const joined = words.join('');
  if (SECRET_PARTS.test(joined) || words.some((word) => SECRET_WORDS.has(word))) return () => MASK;
  if (NUMBERS.has(joined) || words.includes('iban')) return lastFour;
  return null;
}

/** Headers whose values do not identify the caller. They are still searched for secrets. */
const SHOWN_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'etag',
  'expires',
  'host',
  'last-modified',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'server',
  'transfer-encoding',
  'user-agent',
  'vary',
  'via',
  'x-correlation-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
]);

export function isShownHeader(name: string): boolean {
  return SHOWN_HEADERS.has(name.toLowerCase());
}
