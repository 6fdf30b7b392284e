import { polishIban, statedIban } from './account-number.ts';
import { markedParts } from './row-references.ts';
import { tidied } from './statement.ts';

type StatedReferences = Readonly<
  Record<'endToEndId' | 'mandateId' | 'creditorId' | 'customerReference', string | null>
>;

const NO_REFERENCES: StatedReferences = {
  endToEndId: null,
  mandateId: null,
  creditorId: null,
  customerReference: null,
};

/** What a `:86:` says about its movement. */
export type MovementDetails = {
  readonly description: string | null;
  readonly nameSurname: string | null;
  readonly iban: string | null;
  readonly references: StatedReferences;
  /** No name or account has a field of its own: any found in the text is a guess. */
  readonly unstructured: boolean;
};

/**
 * German (DFÜ agreement) and Polish banks: a three-digit business code, then subfields with two-digit numbers, each
 * after the same sign.
 */
const NUMBERED = /^(\d{3})([?>~^!@|+<])(?=\d{2})/;
const NUMBERED_LENGTH = 27;
/** Dutch and other banks: `/NAME/…/IBAN/…`. */
const NAMED =
  /(?<=^|\/)(ABWA|ADDR|BENM|BIC|CNTP|CREF|CSID|EREF|IBAN|IREF|ISDT|KREF|MARF|NAME|ORDP|PREF|PURP|REMI|RTRN|SVCL|TRTP|UDTR|ULTB|ULTD|UCRD|USTD)\//g;
/** A full line continues on the next one without a space: banks cut the text every 65 characters. */
const LINE_LENGTH = 65;

export function readDetails(lines: readonly string[]): MovementDetails {
  const whole = lines.join('').trim();
  const numbered = NUMBERED.exec(whole);
  if (numbered !== null) return readNumbered(whole.slice(3), numbered[2] ?? '?');
  const text = joined(lines, LINE_LENGTH);
  const named = readNamed(text);
  return (
    named ?? {
      description: tidied(text, 'description'),
      nameSurname: null,
      iban: null,
      references: markedReferences(markedParts(text)),
      unstructured: true,
    }
  );
}

function readNumbered(text: string, sign: string): MovementDetails {
  const subfields = new Map<number, string>();
  for (const part of text.split(sign)) {
    const number = isDigit(part, 0) && isDigit(part, 1) ? Number(part.slice(0, 2)) : null;
    if (number !== null && !subfields.has(number)) subfields.set(number, part.slice(2));
  }
  const range = (from: number, to: number): string[] => {
    const parts: string[] = [];
    for (let number = from; number <= to; number += 1) {
      const part = subfields.get(number);
      if (part !== undefined) parts.push(part);
    }
    return parts;
  };
  // Polish banks write the counterparty's name into the last lines of the purpose, and its account as a bare number.
  const polish = sign === '<' || sign === '~';
  const named = range(32, 33);
  const nameBelow = polish && named.length === 0;
  const purpose = joined([...range(20, nameBelow ? 26 : 29), ...range(60, 63)], NUMBERED_LENGTH);
  const parts = markedParts(purpose);
  return {
    description: tidied([...range(0, 0), purpose].join(' '), 'description'),
    nameSurname: tidied(joined(nameBelow ? range(27, 28) : named, NUMBERED_LENGTH)) ?? tidied(parts.get('ABWA')),
    iban:
      statedIban(subfields.get(31)) ??
      statedIban(subfields.get(38)) ??
      (polish ? (polishIban(subfields.get(31)) ?? polishIban(subfields.get(38))) : null) ??
      statedIban(/IBAN[:+]\s?([A-Z0-9 ]+)/.exec(purpose)?.[1]),
    references: markedReferences(parts),
    unstructured: false,
  };
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function readNamed(text: string): MovementDetails | null {
  const parts = new Map<string, string>();
  const marks = [...text.matchAll(NAMED)];
  for (const [index, mark] of marks.entries()) {
    const value = text.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? text.length);
    const name = mark[1] ?? '';
    if (!parts.has(name)) parts.set(name, withoutSlashes(value));
  }
  // ING: /CNTP/account/BIC/name/city.
  const [account, , name] = (parts.get('CNTP') ?? '').split('/');
  const stated = parts.get('NAME') ?? name;
  const iban = statedIban(parts.get('IBAN') ?? account);
  if (stated === undefined && iban === null && !parts.has('REMI')) return null;
  const remittance = [parts.get('REMI'), parts.get('USTD')]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
  return {
    description: tidied(remittance === '' ? text : remittance, 'description'),
    nameSurname: tidied(stated),
    iban,
    references: {
      endToEndId: parts.get('EREF') ?? null,
      mandateId: parts.get('MARF') ?? null,
      creditorId: parts.get('CSID') ?? null,
      customerReference: parts.get('KREF') ?? parts.get('CREF') ?? null,
    },
    unstructured: false,
  };
}

function markedReferences(parts: ReadonlyMap<string, string>): StatedReferences {
  return {
    endToEndId: parts.get('EREF') ?? null,
    mandateId: parts.get('MREF') ?? null,
    creditorId: parts.get('CRED') ?? null,
    customerReference: parts.get('KREF') ?? null,
  };
}

/**
 * ASN, SNS and Volksbank: the first line holds the counterparty's account and its holder, which the `:61:` has as well;
 * the text follows.
 * @param written the owner's reference of the `:61:`, in which an IBAN of 18 characters exceeds the field
 */
export function readVolksbank(
  lines: readonly string[],
  written: string,
  supplement: string | null,
): MovementDetails | null {
  const iban = statedIban(written);
  const [first = '', ...text] = lines;
  if (iban === null || !first.replace(/\s+/g, '').toUpperCase().startsWith(iban)) return null;
  const account = new RegExp(`^(?:\\s*\\S){${iban.length}}`).exec(first)?.[0] ?? '';
  const name = tidied(first.slice(account.length)) ?? supplement;
  const description = tidied(joined(text, LINE_LENGTH), 'description');
  return { description, nameSurname: name, iban, references: NO_REFERENCES, unstructured: false };
}

/** A loop, because `/\/+$/` takes quadratic time on a text of slashes. */
function withoutSlashes(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === '/') start += 1;
  while (end > start && text[end - 1] === '/') end -= 1;
  return text.slice(start, end);
}

function joined(lines: readonly string[], fullLength: number): string {
  return lines.reduce((text, line, index) => {
    const full = index > 0 && (lines[index - 1]?.length ?? 0) >= fullLength;
    return index === 0 || full ? text + line : `${text} ${line}`;
  }, '');
}
