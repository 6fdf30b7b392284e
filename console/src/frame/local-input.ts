/** `YYYY-MM-DDTHH:mm` of a moment in a zone, as an input for date and time takes it. */
export function localInput(moment: string, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone });
  return parts.format(new Date(moment)).replace(' ', 'T');
}

/**
 * The moment that a clock in the zone shows so; null for no date. Of an hour that comes twice the first is taken.
 */
export function momentOfInput(text: string, timeZone: string): string | null {
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return null;
  const offsetAt = (at: number): number => Date.parse(`${localInput(new Date(at).toISOString(), timeZone)}Z`) - at;
  const guess = asUtc - offsetAt(asUtc - (asUtc % 60_000));
  const earlier = asUtc - offsetAt(guess - 3_600_000);
  const shows = localInput(new Date(earlier).toISOString(), timeZone) === localInput(`${text}Z`, 'UTC');
  return new Date(shows ? earlier : guess).toISOString();
}
