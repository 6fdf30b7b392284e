const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** True for an IANA name. An offset such as `+03:00`, which Intl takes as well, is none: it says nothing of summer. */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Names are told apart by case too, and callers choose them: so many are kept and no more. */
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
