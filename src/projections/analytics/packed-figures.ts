import { add, type Decimal } from '../../shared/money.ts';

/** Counts are numbers, money is decimal text. Zero figures are omitted, so that equal sums are equal. */
export type Figures = Readonly<Record<string, number | Decimal>>;

/** The figures that a model sums, in the order in which they are stored: money first. */
export type FigureNames = { readonly money: readonly string[]; readonly counts: readonly string[] };

/**
 * Figures as a read model stores them: decimals in the order of their names, separated by commas, where zero is "" and
 * the last ones that are zero are left out. All zero is "".
 */
export type PackedFigures = string;

/**
 * A day: what it adds up to, then each of its slots in their order, `total;slot:figures;slot:figures`. A slot that adds
 * up to nothing is left out.
 */
export type PackedDay = string;

/** Where in {@link PackedFigures} each figure stands. */
export type Places = ReadonlyMap<string, number>;

export function placesOf({ money, counts }: FigureNames): Places {
  return new Map([...money, ...counts].map((name, place) => [name, place]));
}

/** @throws RangeError for a figure without a place */
export function addPacked(packed: PackedFigures, figures: Figures, places: Places): PackedFigures {
  const values = packed === '' ? [] : packed.split(',');
  for (const name in figures) {
    const figure = figures[name] ?? 0;
    const place = places.get(name);
    if (place === undefined) throw new RangeError(`not a figure of this model: ${name}`);
    while (values.length <= place) values.push('');
    const before = values[place] || '0';
    const after = typeof figure === 'number' ? `${Number(before) + figure}` : add(before, figure);
    values[place] = after === '0' ? '' : after;
  }
  while (values.at(-1) === '') values.pop();
  return values.join(',');
}

/** A day's total, and its slots with the semicolon before each. */
export function partsOf(day: PackedDay): [total: PackedFigures, slots: string] {
  const slots = day.indexOf(';');
  return slots < 0 ? [day, ''] : [day.slice(0, slots), day.slice(slots)];
}

/** The slots with the figures added to one of them. All slots of a model have one length. */
export function addToSlots(slots: string, slot: string, figures: Figures, places: Places): string {
  const name = `;${slot}:`;
  let start = slots.indexOf(name);
  let end = start;
  if (start >= 0) end = endOf(slots, start);
  else {
    // New slots mostly come last.
    start = slots.length;
    while (start > 0) {
      const previous = slots.lastIndexOf(';', start - 1);
      if (slots.slice(previous + 1, previous + 1 + slot.length) < slot) break;
      start = previous;
    }
    end = start;
  }
  const before = end === start ? '' : slots.slice(start + name.length, end);
  const after = addPacked(before, figures, places);
  return slots.slice(0, start) + (after === '' ? '' : name + after) + slots.slice(end);
}

/** Where the slot that begins at a semicolon ends. */
export function endOf(day: string, start: number): number {
  const next = day.indexOf(';', start + 1);
  return next < 0 ? day.length : next;
}

/** The slots of a day in their order. */
export function* slotsOf(day: PackedDay): Iterable<readonly [slot: string, figures: PackedFigures]> {
  for (let start = day.indexOf(';'); start >= 0 && start < day.length; ) {
    const end = endOf(day, start);
    const colon = day.indexOf(':', start);
    yield [day.slice(start + 1, colon), day.slice(colon + 1, end)];
    start = end;
  }
}
