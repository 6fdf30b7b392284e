const formats = new Map<string, Intl.DateTimeFormat>();

/** English with the day first and 24 hours, as banks in Europe write. */
export function localeOf(language: string): string {
  return language === 'en' ? 'en-GB' : language;
}

function formatOf(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(localeOf(language), options);
    formats.set(key, format);
  }
  return format;
}

/** The day as the bank booked it, which no time zone moves: `YYYY-MM-DD`, or a moment whose day in UTC it is. */
export function formatDay(language: string, day: string, now = new Date()): string {
  const date = new Date(day.length === 10 ? `${day}T00:00:00Z` : day);
  const isThisYear = date.getUTCFullYear() === now.getUTCFullYear();
  const year: Intl.DateTimeFormatOptions = isThisYear ? {} : { year: 'numeric' };
  return formatOf(language, { day: '2-digit', month: 'short', ...year, timeZone: 'UTC' }).format(date);
}

export function formatLongDay(language: string, day: string): string {
  const date = new Date(day.length === 10 ? `${day}T00:00:00Z` : day);
  return formatOf(language, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(date);
}

/** A moment in the person's zone. */
export function formatMoment(language: string, timeZone: string, at: string | Date): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short', timeZone };
  return formatOf(language, options).format(typeof at === 'string' ? new Date(at) : at);
}

/** With seconds, for a title or where events are compared. */
export function formatExact(language: string, timeZone: string, at: string): string {
  return formatOf(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(new Date(at));
}

export function formatTime(language: string, timeZone: string, at: string | Date): string {
  const date = typeof at === 'string' ? new Date(at) : at;
  return formatOf(language, { timeStyle: 'short', timeZone }).format(date);
}

const FRESH_MS = 60 * 60_000;

/** "3 min ago" within the hour; null for what is older or still to come. */
export function formatFresh(language: string, at: string, now: number): string | null {
  const ageMs = now - Date.parse(at);
  if (ageMs < 0 || ageMs >= FRESH_MS) return null;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  return ageMs < 60_000 ? format.format(0, 'minute') : format.format(-Math.floor(ageMs / 60_000), 'minute');
}
