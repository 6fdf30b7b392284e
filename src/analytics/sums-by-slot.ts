import { type Figures, slotsOf } from '../projections/analytics/packed-figures.ts';
import { negative, type Sums, type SumsDocument, slotAt } from '../projections/analytics/sums.ts';
import type { Filter } from '../readstore/read-store.ts';
import { dayOf } from './calendar.ts';
import { documentsOf, eachChange, type Source } from './source.ts';
import { type Amounts, openTallies } from './tally.ts';

/**
 * Gives what the documents that are found add up to in each group of their slots, as they stood at the source's
 * position. For models whose slots are finer than quarter hours, which periods alone cannot sum. The figures of a
 * document and group may come in several parts, which add up.
 */
export async function eachGroupOfSlots<Dimension extends string>(
  source: Source,
  model: Sums<Dimension>,
  asked: {
    readonly filter: Filter;
    /** Null for slots that are not asked for. @param day UTC, `YYYY-MM-DD` */
    readonly groupOf: (document: SumsDocument<Dimension>, day: string, slot: string) => string | null;
  },
  take: (document: SumsDocument<Dimension>, group: string, figures: Figures | Amounts) => void,
): Promise<void> {
  const { filter, groupOf } = asked;
  const changed = new Map<string, SumsDocument<Dimension>>();
  for await (const { document } of documentsOf(source.reader, source.pace, model, { filter, sortedBy: 'month' })) {
    if (document._position > source.position) changed.set(document._id, { ...document, days: {} });
    const tallies = openTallies(model.figures);
    for (const [day, packed] of Object.entries(document.days)) {
      for (const [slot, figures] of slotsOf(packed)) tallies.of(groupOf(document, day, slot))?.add(figures);
    }
    for (const [group, amounts] of tallies.amounts()) take(document, group, amounts);
  }
  await eachChange(source, model, changed, (document, { at, slot, figures }) => {
    const group = at === null ? null : groupOf(document, dayOf(at), slotAt(at, slot));
    if (group !== null) take(document, group, negative(figures));
  });
}
