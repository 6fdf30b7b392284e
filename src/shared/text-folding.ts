const WHITE_SPACE = /[\s\u0085]+/gu;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** Other white space than single spaces. */
const UNEVEN_SPACES = /[^\S ]|\u0085|\s\s/u;
/** Texts of which every character is folded by itself, to one character: most of those of European languages. */
const PLAIN_LETTERS = new RegExp(`^[\\x20-\\x7eİı${plainLetters()}]*$`, 'u');
/**
 * Dotted capital I, dotless small ı, and the small i that carries a separate dot (what lower-casing İ leaves behind).
 */
const DOT_ABOVE = /([Ii])\u0307+/gu;
/**
 * A run of more marks than any writing has: 30 is the limit of stream-safe text (UAX #15, section 13). Normalization
 * sorts the marks of a run, which takes quadratic time.
 */
const MAY_HAVE_MARKS = /[\u0300-\u{10ffff}]/u;
const LONG_MARKS = /(\p{M}{30})\p{M}+/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * NFKC (Unicode Standard Annex #15), every run of white space one space, none at the ends, and the Turkish İ and ı as I
 * and i; of a run of combining marks the first 30. Letter case stays: patterns search this text, and may distinguish
 * case. Idempotent, and linear in the length of the text.
 */
export function evenText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return foldSpaces(text);
  if (PLAIN_LETTERS.test(text)) return foldSpaces(plainDots(text));
  let even = text;
  for (;;) {
    // Taking a dot away can let the letter join the mark behind it, and the other way round: repeated until nothing
    // changes.
    const next = plainDots(shortMarks(even).normalize('NFKC')).replace(DOT_ABOVE, '$1');
    if (next === even) return foldSpaces(even);
    even = next;
  }
}

/**
 * The text that two spellings of the same name share: `evenText` with full case folding (ß = ss, final ς = σ) and
 * without regard to the language, so that İ, I, ı and i all agree. Idempotent: `foldText(foldText(x)) === foldText(x)`.
 */
export function foldText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return foldSpaces(text).toLowerCase();
  if (PLAIN_LETTERS.test(text)) return foldSpaces(plainDots(text)).toLowerCase();
  let folded = evenText(text);
  for (;;) {
    // Lower, upper, lower is full case folding by the built-in tables; one sigma, because toLowerCase picks ς by its
    // neighbours.
    const next = evenText(folded.toLowerCase().toUpperCase().toLowerCase().replace(/ς/gu, 'σ'));
    if (next === folded) return folded;
    folded = next;
  }
}

/**
 * The distinct words (runs of letters, digits and their marks) of a text after folding, in order of first appearance.
 */
export function wordsOf(text: string): string[] {
  return [...new Set(foldText(text).match(WORD) ?? [])];
}

function shortMarks(text: string): string {
  // Every mark lies in that range, and to look for one takes a tenth of looking for many.
  return MAY_HAVE_MARKS.test(text) ? text.replace(LONG_MARKS, '$1') : text;
}

function plainDots(text: string): string {
  return text.replace(/İ/gu, 'I').replace(/ı/gu, 'i');
}

/** Latin letters with marks which no normalization changes, and which have one lower case and one upper case. */
function plainLetters(): string {
  const isPlain = (letter: string): boolean => {
    const lower = letter.toLowerCase();
    const isSteady = [letter, lower].every((one) => one.length === 1 && one.normalize('NFKC') === one);
    return isSteady && lower.toUpperCase().toLowerCase() === lower;
  };
  const letters = Array.from({ length: 0x180 - 0xc0 }, (_, nth) => String.fromCharCode(0xc0 + nth));
  return letters.filter(isPlain).join('');
}

function foldSpaces(text: string): string {
  return (UNEVEN_SPACES.test(text) ? text.replace(WHITE_SPACE, ' ') : text).trim();
}

/** Only what is spelled: the same for texts that differ in case, accents, spaces or punctuation. */
export function lettersOf(text: string | null): string {
  return shortMarks(text ?? '')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
