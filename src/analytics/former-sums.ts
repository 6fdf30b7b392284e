import { addPacked, addToSlots, type Figures, partsOf, placesOf } from '../projections/analytics/packed-figures.ts';
import { quarterSlot, type Sums, type SumsDocument } from '../projections/analytics/sums.ts';

/** A document of a version before figures were packed: by UTC day and slot, without totals. */
type FormerDays = Readonly<Record<string, Readonly<Record<string, Figures>>>>;

/** Whether the document is of a former version, which is read until the present one is built. */
export function isFormer({ total }: { readonly total?: string }): boolean {
  return total === undefined;
}

/** A document of a former version in the present shape, with the slots of its days even where the model is split. */
export function presentSums<Dimension extends string>(
  { figures: names }: Pick<Sums<Dimension>, 'figures'>,
  document: SumsDocument<Dimension>,
): SumsDocument<Dimension> {
  const places = placesOf(names);
  let total = '';
  const days: Record<string, string> = {};
  for (const [day, slots] of Object.entries(document.days as unknown as FormerDays)) {
    for (const [slot, figures] of Object.entries(slots)) {
      total = addPacked(total, figures, places);
      if (day === 'ever') continue;
      const name = slot.split('/').map((quarter) => quarterSlot(Number(quarter)));
      const [ofDay, others] = partsOf(days[day] ?? '');
      days[day] = addPacked(ofDay, figures, places) + addToSlots(others, name.join('/'), figures, places);
    }
  }
  return { ...document, total, days };
}
