import { type Decimal, decimal, MoneyError } from '../../shared/money.ts';
import { type CsvMapping, DATE_PARTS } from './csv-mapping.ts';
import { StatementFault } from './statement.ts';

/** The pattern of each part of a date format. */
const PATTERNS: Readonly<Record<string, string>> = {
  yyyy: '(?<year>\\d{4})',
  yy: '(?<year>\\d{2})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  dd: '(?<day>\\d{2})',
  d: '(?<day>\\d{1,2})',
  HH: '\\d{2}',
  H: '\\d{1,2}',
  mm: '\\d{2}',
  m: '\\d{1,2}',
  ss: '\\d{2}',
  s: '\\d{1,2}',
};

/** Converts texts in a date format to `YYYY-MM-DD`; null for a text that is not a valid day in that format. */
export function dayReader(format: string): (text: string) => string | null {
  const parts = (format.match(DATE_PARTS) ?? []).map(
    (part) => PATTERNS[part] ?? part.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&'),
  );
  const pattern = new RegExp(`^${parts.join('')}$`);
  return (text) => {
    const { year = '', month = '', day = '' } = pattern.exec(text)?.groups ?? {};
    const century = year.length === 2 ? (Number(year) >= 80 ? '19' : '20') : '';
    const written = `${century}${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    const ms = Date.parse(`${written}T00:00:00Z`);
    return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(written) ? written : null;
  };
}

/** Far more than 18 digits with separators: longer texts are not examined. */
const LONGEST = 64;
/** An amount as people write it: a sign before or after it or brackets, and a currency next to it. */
const SIGNED = /^(?:[A-Z]{2,3}|[€$£₺])?\s?([+-]?)(\(?)(?:[€$£₺])?([\d.,'’\s]+)(\)?)([+-]?)\s?(?:[A-Z]{2,3}|[€$£₺])?$/u;

/**
 * Reads signed amounts; digits may be grouped by any separator but the decimal one, as in Switzerland, India and
 * elsewhere.
 * @throws StatementFault
 */
export function amountReader({ decimal: sign }: Pick<CsvMapping, 'decimal'>): (text: string, place: string) => Decimal {
  const other = sign === ',' ? '.' : ',';
  const digits = new RegExp(
    `^(\\d+|\\d{1,3}(?:[\\${other}'’\\s]\\d{2,3})*[\\${other}'’\\s]\\d{3})(?:\\${sign}(\\d*))?$`,
  );
  return (text, place) => {
    const written = text.replaceAll('−', '-').trim();
    const [, before = '', open = '', magnitude = '', close = '', behind = ''] =
      written.length > LONGEST ? [] : (SIGNED.exec(written) ?? []);
    const [, whole, fraction = ''] = digits.exec(magnitude.trim()) ?? [];
    const signs = [before, behind, open].filter((one) => one !== '').length;
    if (whole === undefined || (open === '') !== (close === '') || signs > 1) {
      throw new StatementFault('an amount is not a number as the csv mapping describes it', place);
    }
    const [significant, decimals] = [whole.replace(/\D/g, '').replace(/^0+(?=\d)/, ''), fraction.replace(/0+$/, '')];
    try {
      const found = decimal(decimals === '' ? significant : `${significant}.${decimals}`);
      const isNegative = before === '-' || behind === '-' || open !== '';
      return isNegative && found !== '0' ? `-${found}` : found;
    } catch (error) {
      if (!(error instanceof MoneyError)) throw error;
      throw new StatementFault('an amount has more than 18 digits or 5 decimals', place);
    }
  };
}
