const DAY_MS = 86_400_000;

/** As many days before `from` as there are up to `to`; null where one of them is open. */
export function periodBefore({ from, to }: Readonly<Record<string, unknown>>): { from: string; to: string } | null {
  if (typeof from !== 'string' || typeof to !== 'string') return null;
  const length = Date.parse(to) - Date.parse(from);
  if (Number.isNaN(length) || length <= 0) return null;
  const start = new Date(Math.round((Date.parse(from) - length) / DAY_MS) * DAY_MS);
  return { from: start.toISOString().slice(0, 10), to: from };
}
