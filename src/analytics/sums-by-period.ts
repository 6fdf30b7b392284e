import { type Figures, type PackedDay, partsOf } from '../projections/analytics/packed-figures.ts';
import { negative, quarterOf, quarterStart, type Sums, type SumsDocument } from '../projections/analytics/sums.ts';
import type { Reader } from '../queries/reader.ts';
import type { Condition, Filter } from '../readstore/read-store.ts';
import { dayOf, type Period, utcDay } from './calendar.ts';
import { type DayCut, openSegments, type Segments } from './segments.ts';
import { documentsOf, eachChange, type Source } from './source.ts';
import { type Amounts, eachInPiece, openTallies, type Tallies } from './tally.ts';

const MONTH_LENGTH = 'YYYY-MM'.length;
const DAY_SUFFIX = '-DD'.length;

/** One period without beginning or end. */
export const EVER: readonly Period[] = [{ period: 'ever', startMs: -Infinity, endMs: Infinity }];

type Asked = {
  /** What the documents are found by, beside their time. */
  readonly filter: Filter;
  /** In the order of time, not overlapping; each begins and ends with a quarter hour, or never. */
  readonly periods: readonly Period[];
};

type Take<Dimension extends string> = (
  document: SumsDocument<Dimension>,
  period: string,
  figures: Figures | Amounts,
) => void;

/**
 * Gives what the documents that are found add up to in each period, as they stood at the source's position. A month or
 * a day that lies in one period is one figure, and so is a month of which most days do, but for the others; of a day
 * that does not, only the quarter hours outside of its longest period are read. The figures of a document and period
 * may come in several parts, which add up.
 */
export async function eachPeriod<Dimension extends string>(
  source: Source,
  model: Sums<Dimension>,
  { filter, periods }: Asked,
  take: Take<Dimension>,
  reader: Reader = source.reader,
): Promise<void> {
  const segments = openSegments(periods);
  if (segments.firstMs === undefined) return;
  const read = new Map<string, SumsDocument<Dimension>>();
  /** Documents of months whose quarter hours are in those of days. */
  const split = new Set<string>();

  function add(document: SumsDocument<Dimension>, addTo: (tallies: Tallies) => void): void {
    if (document._position > source.position) read.set(document._id, { ...document, days: {} });
    const tallies = openTallies(model.figures);
    addTo(tallies);
    for (const [period, amounts] of tallies.amounts()) take(document, period, amounts);
  }
  function give(document: SumsDocument<Dimension>, period: string | null, figures: Figures): void {
    if (period !== null) take(document, period, figures);
  }

  const months = { filter: [...filter, ...monthsOf(segments)], sortedBy: 'month' } as const;
  for await (const { document, wasFormer } of documentsOf(reader, source.pace, model, months)) {
    const isSplit = model.isSplit && !wasFormer;
    if (isSplit) split.add(document._id);
    add(document, (tallies) => addMonth(tallies, document, segments, isSplit));
  }
  if (split.size > 0 && segments.cutDays.length > 0) {
    const days = { filter: [...filter, ...daysOf(segments.cutDays)], sortedBy: 'day' } as const;
    for await (const { document } of documentsOf(reader, source.pace, model, days)) {
      // One whose month was not there when the months were read has nothing from before the position.
      if (!split.has(document._id.slice(0, -DAY_SUFFIX))) continue;
      add(document, (tallies) => addElsewhere(tallies, document, segments));
    }
  }
  await eachChange(source, model, read, (document, change) => {
    const undone = negative(change.figures);
    const { at } = change;
    if (at === null) return give(document, segments.at(0), undone);
    const own = segments.at(quarterStart(dayOf(at), quarterOf(at)));
    if (!split.has(change.key)) return give(document, own, undone);
    const { home } = segments.ofDay(dayOf(at));
    if (document._id === change.key) return give(document, home, undone);
    if (home === own) return;
    give(document, own, undone);
    give(document, home, change.figures);
  });
}

/** A document of a month, or of all time. */
function addMonth(tallies: Tallies, document: SumsDocument, segments: Segments, isSplit: boolean): void {
  const { month = '', total, days } = document;
  const whole = month === '' ? segments.at(0) : segments.ofMonth(month);
  if (whole !== undefined) {
    tallies.of(whole)?.add(total);
    return;
  }
  function addDay(packed: PackedDay, cut: DayCut): void {
    tallies.of(cut.home)?.add(partsOf(packed)[0]);
    if (!isSplit && cut.elsewhere.length > 0) moveElsewhere(tallies, packed, cut);
  }
  const mostly = segments.cutOfMonth(month);
  if (mostly === null) {
    for (const [day, packed] of Object.entries(days)) addDay(packed, segments.ofDay(day));
    return;
  }
  tallies.of(mostly.home)?.add(total);
  for (const day of mostly.days) {
    const packed = days[day];
    if (packed === undefined) continue;
    tallies.of(mostly.home)?.add(partsOf(packed)[0], -1);
    addDay(packed, segments.ofDay(day));
  }
}

/** The document of a day whose total is already counted at home. */
function addElsewhere(tallies: Tallies, { day = '', days }: SumsDocument, segments: Segments): void {
  const packed = days[day];
  if (packed !== undefined) moveElsewhere(tallies, packed, segments.ofDay(day));
}

function moveElsewhere(tallies: Tallies, day: string, { home, elsewhere }: DayCut): void {
  const atHome = tallies.of(home);
  for (const piece of elsewhere) {
    const own = tallies.of(piece.period);
    if (own === atHome) continue;
    eachInPiece(day, piece, (figures) => {
      own?.add(figures);
      atHome?.add(figures, -1);
    });
  }
}

function monthsOf({ firstMs = 0, lastMs = 0 }: Segments): Condition[] {
  // Documents of days have no month, which no comparison finds.
  if (!Number.isFinite(firstMs) && !Number.isFinite(lastMs)) return [{ field: 'month', op: 'gte', value: '' }];
  const month = (epochMs: number): string => utcDay(epochMs).slice(0, MONTH_LENGTH);
  const conditions: Condition[] = [];
  if (Number.isFinite(firstMs)) conditions.push({ field: 'month', op: 'gte', value: month(firstMs) });
  if (Number.isFinite(lastMs)) conditions.push({ field: 'month', op: 'lte', value: month(lastMs) });
  return conditions;
}

/** Single days, or a range where most of its days are asked for. */
function daysOf(days: readonly string[]): Condition[] {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const inRange = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
  if (days.length <= inRange / 2) return [{ field: 'day', op: 'in', value: days }];
  return [
    { field: 'day', op: 'gte', value: first },
    { field: 'day', op: 'lte', value: last },
  ];
}
