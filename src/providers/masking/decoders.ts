/** The text that an escape sequence stands for, and the number of characters it takes. */
type Decoded = { readonly text: string; readonly length: number };

/** An encoding of text within text. `marks`: the character codes at which a sequence may begin. */
export type Decoder = {
  readonly marks: readonly number[];
  /** Null when there is no sequence of this encoding at `index`. The decoded text is never longer than the sequence. */
  readonly at: (text: string, index: number) => Decoded | null;
};

function hexAt(text: string, index: number, digits: number): number | null {
  let value = 0;
  for (let place = index; place < index + digits; place += 1) {
    const code = text.charCodeAt(place) | 0x20;
    const digit = code >= 0x30 && code <= 0x39 ? code - 0x30 : code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
    // Bit 0x20 turns some control characters into digits; those are no digits.
    if (digit < 0 || (digit < 10 && text.charCodeAt(place) < 0x30)) return null;
    value = value * 16 + digit;
  }
  return value;
}

function utf8Length(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0) return lead < 0xf0 ? 3 : 1;
  return lead >= 0xc2 ? 2 : 1;
}

/** `%C5%9F`, in upper or lower case; bytes that are not valid UTF-8 are read as ISO 8859-1. */
const percent: Decoder = {
  marks: [0x25],
  at(text, index) {
    const lead = hexAt(text, index + 1, 2);
    if (lead === null) return null;
    const bytes = [lead];
    for (let place = 1; place < utf8Length(lead); place += 1) {
      const byte = text.charCodeAt(index + 3 * place) === 0x25 ? hexAt(text, index + 3 * place + 1, 2) : null;
      if (byte === null || byte >> 6 !== 2) return { text: String.fromCharCode(lead), length: 3 };
      bytes.push(byte);
    }
    return { text: Buffer.from(bytes).toString(bytes.length === 1 ? 'latin1' : 'utf8'), length: 3 * bytes.length };
  },
};

/** A space in form encoding. */
const plus: Decoder = { marks: [0x2b], at: () => ({ text: ' ', length: 1 }) };

const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** `\u015f`, `\/` and `\n` of JSON, and `\x41` of JavaScript. */
const backslash: Decoder = {
  marks: [0x5c],
  at(text, index) {
    const kind = text[index + 1] ?? '';
    const digits = kind === 'u' ? 4 : kind === 'x' ? 2 : 0;
    if (digits > 0) {
      const code = hexAt(text, index + 2, digits);
      return code === null ? null : { text: String.fromCharCode(code), length: 2 + digits };
    }
    const sign = Object.hasOwn(ESCAPED, kind) ? ESCAPED[kind] : undefined;
    return sign === undefined ? null : { text: sign, length: 2 };
  },
};

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };
const ENTITY = /&(?:#(\d{1,10})|#[xX]([0-9a-fA-F]{1,8})|([a-z]{2,4}));/y;

/** `&amp;`, `&#351;`, `&#x15F;` of XML and HTML. */
const entity: Decoder = {
  marks: [0x26],
  at(text, index) {
    ENTITY.lastIndex = index;
    const found = ENTITY.exec(text);
    if (found === null) return null;
    const [whole, decimal, hex, name = ''] = found;
    if (decimal === undefined && hex === undefined) {
      const sign = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
      return sign === undefined ? null : { text: sign, length: whole.length };
    }
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return point > 0x10ffff ? null : { text: String.fromCodePoint(point), length: whole.length };
  },
};

const BREAK = /\r?\n[ \t]{0,80}|\r/y;

/** Line breaks within a text, as in base64 of mails, certificates and configuration. */
const lineBreak: Decoder = {
  marks: [0x0a, 0x0d],
  at(text, index) {
    BREAK.lastIndex = index;
    return { text: '', length: BREAK.exec(text)?.[0].length ?? 1 };
  },
};

export const decoders: readonly Decoder[] = [percent, plus, backslash, entity, lineBreak];
