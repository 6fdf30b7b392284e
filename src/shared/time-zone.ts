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
