import { MASK, type Span } from './spans.ts';

/** The last group of each matches the secret; each takes time linear in the length of the text. */
const FORMS: readonly RegExp[] = [
  /\b(?:bearer|basic|negotiate|digest)\s{1,4}([^\s"'<>,;\\]+)/gi,
  // User and password of a URL.
  /:\/\/([^\s/?#"'<>\\]{1,512})@/g,
  /(?<![A-Za-z0-9])((?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA|ANVA)[A-Z0-9]{12,28})/g,
  // This service's own keys, secrets and refresh tokens.
  /(?<![A-Za-z0-9])(bc[krs]_[\w.-]+)/g,
];

/** Secrets recognized by their form: tokens of HTTP schemes, JWTs, PEM keys, AWS keys, and ours. */
export function tokenSpans(text: string): Span[] {
  const spans = FORMS.flatMap((form) =>
    [...text.matchAll(form)].map(({ 0: whole, 1: secret = '', index }) => {
      const start = index + whole.lastIndexOf(secret);
      return { start, end: start + secret.length, shown: MASK };
    }),
  );
  return [...spans, ...webTokens(text), ...pemBlocks(text)];
}

/** Three or five parts of base64url, the first of them a JSON object. */
function webTokens(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: word, index } of text.matchAll(/[\w.-]+/g)) {
    const at = word.indexOf('eyJ');
    if (at < 0 || word.length - at < 16 || !word.includes('.', at)) continue;
    spans.push({ start: index + at, end: index + word.length, shown: MASK });
  }
  return spans;
}

/** A block without its end extends to the end of the text. */
function pemBlocks(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf('-----BEGIN '); start >= 0; ) {
    const last = text.indexOf('-----END ', start);
    const close = last < 0 ? -1 : text.indexOf('-----', last + 9);
    const end = close < 0 ? text.length : close + 5;
    spans.push({ start, end, shown: MASK });
    start = text.indexOf('-----BEGIN ', end);
  }
  return spans;
}
