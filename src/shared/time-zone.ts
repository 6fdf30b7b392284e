const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** True for an IANA name. An offset such as `+03:00`, which Intl accepts as well, is not: it has no summer time. */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    formatIn(name);
    return true;
  } catch {
    return false;
  }
}

/** Names that differ in case only are different keys, and callers choose them: so the cache is bounded. */
const FORMATS_KEPT = 500;

/** Formats of one kind by time zone, Gregorian and in Latin digits. Making one costs more than many uses of it. */
export function createFormats(options: Intl.DateTimeFormatOptions): (timeZone: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (timeZone) => {
    let format = formats.get(timeZone);
    if (format === undefined) {
      if (formats.size >= FORMATS_KEPT) formats.clear();
      format = new Intl.DateTimeFormat('en-US', { ...options, timeZone, calendar: 'gregory', numberingSystem: 'latn' });
      formats.set(timeZone, format);
    }
    return format;
  };
}

/** Those that `isTimeZone` has met. */
const formatIn = createFormats({});
