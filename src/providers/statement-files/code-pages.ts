import { isAscii } from 'node:buffer';
import { DOS_PAGES } from './dos-pages.ts';
import { StatementFault } from './statement.ts';

/** Encodings that a connection can name, with the name of the platform's decoder for each. */
const PLATFORM: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'windows-1250': 'windows-1250',
  'windows-1252': 'windows-1252',
  'windows-1254': 'windows-1254',
  cp1250: 'windows-1250',
  cp1252: 'windows-1252',
  cp1254: 'windows-1254',
  'iso-8859-1': 'windows-1252',
  'iso-8859-2': 'iso-8859-2',
  'iso-8859-9': 'windows-1254',
  'iso-8859-15': 'iso-8859-15',
};

export const CHARSETS: readonly string[] = [...Object.keys(PLATFORM), ...Object.keys(DOS_PAGES)];

export function isCharset(name: unknown): name is string {
  return typeof name === 'string' && CHARSETS.includes(name.toLowerCase());
}

/** Decodes a text piece by piece; `null` ends it. */
export type TextPieces = (bytes: Uint8Array | null) => string;

/**
 * @param strictly whether invalid bytes end the reading with a fault; otherwise they are replaced, for a charset that
 * was detected from the bytes
 * @throws StatementFault
 */
export function openDecoder(charset: string, strictly: boolean): TextPieces {
  const name = charset.toLowerCase();
  const page = isDosPage(name) ? DOS_PAGES[name] : undefined;
  if (page !== undefined) return (bytes) => (bytes === null ? '' : fromPage(bytes, page));
  const decoder = new TextDecoder(PLATFORM[name] ?? name, { fatal: strictly });
  return (bytes) => {
    try {
      return bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw new StatementFault(`the file is not valid ${name}`, null);
    }
  };
}

function isDosPage(name: string): name is keyof typeof DOS_PAGES {
  return Object.hasOwn(DOS_PAGES, name);
}

const AT_ONCE = 65_536;

function fromPage(bytes: Uint8Array, page: string): string {
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += AT_ONCE) {
    let part = '';
    for (const byte of bytes.subarray(from, from + AT_ONCE)) {
      part += byte < 128 ? String.fromCharCode(byte) : page.charAt(byte - 128);
    }
    parts.push(part);
  }
  return parts.join('');
}

/** Letters beyond ASCII of the languages that statements are written in. */
const ALPHABETS = {
  turkish: 'ğüşıöçâîûİ',
  polish: 'ąćęłńóśźż',
  hungarian: 'áéíóöőúüű',
  czech: 'áčďéěíňóřšťúůýžľĺŕôä',
  german: 'äöüßé',
  dutch: 'éëïöüèêáóçä',
  french: 'éèêëàâîïôùûüç',
  nordic: 'åäöæøéü',
  spanish: 'áéíóúüñºª',
  portuguese: 'áàâãéêíóôõúç',
  italian: 'àèéìòù',
  romanian: 'ăâîşţșț',
  southSlavic: 'čćđšž',
} as const;

type Page = { readonly charset: string; readonly languages: readonly (keyof typeof ALPHABETS)[] };

const WESTERN = ['german', 'dutch', 'french', 'nordic', 'spanish', 'portuguese', 'italian'] as const;

/** In order of preference where several fit equally well: for most texts several do, with the same result. */
const PAGES: readonly Page[] = [
  { charset: 'windows-1252', languages: WESTERN },
  { charset: 'windows-1254', languages: ['turkish'] },
  { charset: 'windows-1250', languages: ['polish', 'hungarian', 'czech', 'german', 'romanian', 'southSlavic'] },
  { charset: 'iso-8859-15', languages: WESTERN },
  { charset: 'iso-8859-2', languages: ['polish', 'hungarian', 'czech', 'romanian', 'southSlavic'] },
  { charset: 'cp850', languages: WESTERN },
  { charset: 'cp857', languages: ['turkish'] },
  { charset: 'cp852', languages: ['polish', 'hungarian', 'czech', 'german', 'romanian', 'southSlavic'] },
];

/** The most words with letters beyond ASCII that are examined: more of them would not change the result. */
const MOST_WORDS = 2_000;

/** Collects from the bytes of a text which code page it is written in. */
export type CharsetEvidence = {
  readonly take: (bytes: Uint8Array) => void;
  readonly charset: () => string;
};

/** A longer word is not examined as a whole. */
const LONGEST_WORD = 4_096;

/**
 * Detects the code page of a text without any declaration from its words: in the right one, their letters belong to one
 * language and have the case of their neighbours, and no symbols are inside words. UTF-8 if the bytes are valid UTF-8,
 * except for letters that the bank split at the end of a line. The bytes are passed in pieces.
 */
export function openCharsetEvidence(): CharsetEvidence {
  const words: Uint8Array[] = [];
  let [sequences, broken] = [0, 0];
  let rest: Uint8Array = new Uint8Array(0);

  function look(bytes: Uint8Array): void {
    const found = utf8Sequences(bytes);
    sequences += found.sequences;
    broken += found.broken;
    for (const word of wordsBeyondAscii(bytes)) if (words.length < MOST_WORDS) words.push(Uint8Array.from(word));
  }

  return {
    take(piece) {
      const isPlain = isAscii(piece) && isAscii(rest);
      const bytes = isPlain ? piece : Buffer.concat([rest, piece]);
      // What follows the last blank may continue in the next piece.
      const end = bytes.findLastIndex((byte) => byte <= 0x20) + 1;
      const upTo = bytes.length - end > LONGEST_WORD ? bytes.length : end;
      if (!isPlain) look(bytes.subarray(0, upTo));
      rest = Uint8Array.from(bytes.subarray(upTo));
    },
    charset() {
      look(rest);
      rest = new Uint8Array(0);
      return broken === 0 || sequences >= 3 * broken ? 'utf-8' : pageOf(words);
    },
  };
}

function pageOf(words: readonly Uint8Array[]): string {
  let best = { charset: 'windows-1252', score: Number.NEGATIVE_INFINITY };
  for (const { charset, languages } of PAGES) {
    const decoded = words.map((word) => decodeLoosely(word, charset));
    for (const language of languages) {
      const letters = lettersOf(language);
      const score = decoded.reduce((sum, word) => sum + plausibility(word, letters), 0);
      if (score > best.score) best = { charset, score };
    }
  }
  return best.charset;
}

function decodeLoosely(bytes: Uint8Array, charset: string): string {
  const page = isDosPage(charset) ? DOS_PAGES[charset] : undefined;
  return page === undefined ? new TextDecoder(PLATFORM[charset]).decode(bytes) : fromPage(bytes, page);
}

function utf8Sequences(bytes: Uint8Array): { sequences: number; broken: number } {
  let [sequences, broken] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const further = lead >= 0xf0 && lead < 0xf5 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : 0;
    const tail = bytes.subarray(at + 1, at + 1 + further);
    const whole =
      lead < 0xf5 && further > 0 && tail.length === further && tail.every((byte) => byte >= 0x80 && byte < 0xc0);
    if (whole) {
      sequences += 1;
      at += further;
    } else broken += 1;
  }
  return { sequences, broken };
}

function wordsBeyondAscii(bytes: Uint8Array): Uint8Array[] {
  const words: Uint8Array[] = [];
  let start = 0;
  let beyond = false;
  for (let at = 0; at <= bytes.length && words.length < MOST_WORDS; at += 1) {
    const byte = bytes[at] ?? 0x20;
    if (byte >= 0x80) beyond = true;
    else if (byte <= 0x20) {
      if (beyond) words.push(bytes.subarray(start, at));
      start = at + 1;
      beyond = false;
    }
  }
  return words;
}

const LETTERS = new Map<keyof typeof ALPHABETS, ReadonlySet<string>>();

function lettersOf(language: keyof typeof ALPHABETS): ReadonlySet<string> {
  const known = LETTERS.get(language);
  if (known !== undefined) return known;
  const alphabet = ALPHABETS[language];
  const letters = new Set([...alphabet, ...(language === 'turkish' ? 'ĞÜŞİÖÇÂÎÛ' : alphabet.toUpperCase())]);
  LETTERS.set(language, letters);
  return letters;
}

const SIGNS = new Set('€§°£–—„“”‘’•…«»·´¨²³½¼¾®©™\u00a0');

function plausibility(word: string, letters: ReadonlySet<string>): number {
  const characters = [...word];
  return characters.reduce((sum, character, at) => {
    if (character <= '\u007f') return sum;
    const [before = '', after = ''] = [characters[at - 1], characters[at + 1]];
    const inWord = isLetter(before) || isLetter(after);
    if (!isLetter(character)) return sum + (SIGNS.has(character) ? (inWord ? -2 : 0) : inWord ? -4 : -3);
    if (!letters.has(character)) return sum - 2;
    // A capital after a lower-case letter suggests a wrong page.
    return sum + (isUpper(character) && isLetter(before) && !isUpper(before) ? -1 : 2);
  }, 0);
}

function isLetter(character: string): boolean {
  return /\p{L}/u.test(character);
}

function isUpper(character: string): boolean {
  return /\p{Lu}/u.test(character);
}
