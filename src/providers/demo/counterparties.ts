import { type IbanCountry, iban, taxNumber } from './numbers.ts';
import { type Random, random, seedWord } from './random.ts';

export type Counterparty = {
  readonly name: string;
  readonly iban: string | null;
  /** Tax number, "" when the bank does not know it. */
  readonly idNo: string;
};

const FAMILY_NAMES = [
  'Yılmaz',
  'Kaya',
  'Demir',
  'Şahin',
  'Çelik',
  'Yıldız',
  'Öztürk',
  'Aydın',
  'Güneş',
  'Işık',
  'İnan',
  'Doğan',
];
const TRADES = [
  'İnşaat',
  'Gıda',
  'Lojistik',
  'Tekstil',
  'Otomotiv',
  'Bilişim',
  'Enerji',
  'Ambalaj',
  'Makina',
  'Turizm',
];
const FORMS = ['A.Ş.', 'Ltd. Şti.', 'San. ve Tic. A.Ş.', 'Dış Tic. Ltd. Şti.'];
const FIRST_NAMES = ['Ayşe', 'Mehmet', 'Işıl', 'İbrahim', 'Çağrı', 'Fatma', 'Ömer', 'Şule'];
const FOREIGN: readonly [IbanCountry, string][] = [
  ['DE', 'Müller Werkzeuge GmbH'],
  ['DE', 'Groß & Söhne KG'],
  ['DE', 'Nordlicht Handels GmbH'],
  ['NL', 'Van der Meer Logistics B.V.'],
  ['NL', 'Tulip Trading B.V.'],
  ['GB', 'Ashford Components Ltd'],
  ['GB', 'Harbour & Lane LLP'],
  ['AT', 'Alpen Maschinenbau GmbH'],
];

export type Counterparties = { readonly home: readonly Counterparty[]; readonly abroad: readonly Counterparty[] };

/** The companies and people that a demo company deals with: the same for the same seed. */
export function counterpartiesOf(seed: string): Counterparties {
  const numbers = random(seedWord('counterparties', seed));
  const firms = Array.from({ length: 40 }, () => firm(numbers));
  const people = Array.from({ length: 12 }, () => person(numbers));
  const abroad = FOREIGN.map(([country, name]) => ({ name, iban: iban(country, numbers), idNo: '' }));
  return { home: [...firms, ...people], abroad };
}

function firm(numbers: Random): Counterparty {
  const name = `${numbers.pick(FAMILY_NAMES)} ${numbers.pick(TRADES)} ${numbers.pick(FORMS)}`;
  const known = numbers.below(10) > 0;
  return { name, iban: iban('TR', numbers), idNo: known ? taxNumber(numbers) : '' };
}

function person(numbers: Random): Counterparty {
  const name = `${numbers.pick(FIRST_NAMES)} ${numbers.pick(FAMILY_NAMES)}`;
  return { name, iban: numbers.below(4) > 0 ? iban('TR', numbers) : null, idNo: '' };
}
