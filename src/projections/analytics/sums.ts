import type { RecordedEvent } from '../../events/event.ts';
import type { EventType, KnownEvent } from '../../events/registry.ts';
import type { Category } from '../../log/streams.ts';
import type { Document, Index, ReadOften } from '../../readstore/read-store.ts';
import { defined } from '../../shared/defined.ts';
import { documentId } from '../../shared/ids.ts';
import { add, type Decimal, negate } from '../../shared/money.ts';
import { oncePerObject } from '../../shared/once-per-object.ts';
import { takesEvent } from '../fold-event.ts';
import type { Projection } from '../projection.ts';
import {
  addPacked,
  addToSlots,
  type FigureNames,
  type Figures,
  type PackedDay,
  type PackedFigures,
  partsOf,
  placesOf,
} from './packed-figures.ts';

/** What an event adds to a document. */
export type Change = {
  /** What identifies the document among those of its company and month. */
  readonly dimensions: Readonly<Record<string, string>>;
  /** Further members of the document, which the dimensions determine. */
  readonly details?: Readonly<Record<string, string>>;
  /** The instant the figures belong to; null for a sum over all time. */
  readonly at: string | null;
  /** A finer place within the day than the quarter hour; all slots of a model have one length. */
  readonly slot?: string;
  readonly figures: Figures;
};

/**
 * Sums of one UTC month: of all of it, of its days, and of their quarter hours. The offset of every time zone is a
 * whole number of these, so the days of any zone can be summed exactly. It holds no single transactions, so reading
 * costs the same however many there are.
 *
 * A model with `isSplit` has the quarter hours in further documents, one for each UTC day: these have a `day` instead
 * of a `month`, and no totals; in the documents of months the days have no slots.
 */
export type SumsDocument<Dimension extends string = never> = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  /** `YYYY-MM`, or "" for a sum over all time. */
  readonly month?: string;
  /** `YYYY-MM-DD` */
  readonly day?: string;
  readonly total: PackedFigures;
  /** By UTC day; the slots of a day are its quarter hours from midnight, `00` to `95`. */
  readonly days: Readonly<Record<string, PackedDay>>;
} & { readonly [Name in Dimension]: string };

/**
 * A read model that only sums. What an event adds depends on that event alone, so the sums as they stood at a position
 * are the present ones minus what later events added.
 */
export type Sums<Dimension extends string = never> = {
  readonly projection: Projection<SumsDocument<Dimension>>;
  readonly changesOf: (event: RecordedEvent) => readonly SumsChange[];
  /** The categories of the streams whose events it takes. */
  readonly category: Category;
  readonly figures: FigureNames;
  readonly isSplit: boolean;
};

/** `dayKey`: the document of its day, in a model with `isSplit`. */
export type SumsChange = Change & { readonly key: string; readonly month: string; readonly dayKey: string | null };

export const QUARTER_MS = 15 * 60_000;
const DAY_LENGTH = 'YYYY-MM-DD'.length;
const MONTH_LENGTH = 'YYYY-MM'.length;

/** The number of the quarter hour in its UTC day. */
export function quarterOf(instant: string): number {
  return Number(instant.slice(11, 13)) * 4 + Math.floor(Number(instant.slice(14, 16)) / 15);
}

/** The slot of a quarter hour. */
export function quarterSlot(quarter: number): string {
  return quarter < 10 ? `0${quarter}` : String(quarter);
}

/** Epoch milliseconds of the start of a quarter hour. */
export function quarterStart(day: string, quarter: number): number {
  return Date.parse(day) + quarter * QUARTER_MS;
}

export function plus(sum: Figures, figures: Figures, times: 1 | -1 = 1): Figures {
  const after: Record<string, number | Decimal> = { ...sum };
  for (const [name, figure] of Object.entries(figures)) {
    const before = after[name];
    if (typeof figure === 'number') after[name] = ((before as number | undefined) ?? 0) + times * figure;
    else after[name] = add((before as Decimal | undefined) ?? '0', times === 1 ? figure : negate(figure));
    if (after[name] === 0 || after[name] === '0') delete after[name];
  }
  return after;
}

/** Where in its document a change of some time belongs. @param at an instant, ISO 8601 UTC */
export function slotAt(at: string, slot: string | undefined): string {
  return slot ?? quarterSlot(quarterOf(at));
}

type Body<Dimension extends string> = Omit<SumsDocument<Dimension>, '_position'>;

function fresh<Dimension extends string>(
  { metadata: { tenantId, companyId } }: RecordedEvent,
  { dimensions, details, key, month, at }: SumsChange,
  isDay: boolean,
): Body<Dimension> {
  const span = isDay ? { day: at?.slice(0, DAY_LENGTH) } : { month };
  const body = {
    ...dimensions,
    ...details,
    _id: '',
    tenantId,
    companyId: companyId ?? '',
    ...span,
    total: '',
    days: {},
  };
  return { ...body, _id: isDay ? `${key}${at?.slice(MONTH_LENGTH, DAY_LENGTH)}` : key } as unknown as Body<Dimension>;
}

function withDay(days: SumsDocument['days'], day: string, after: PackedDay): SumsDocument['days'] {
  if (after !== '') return { ...days, [day]: after };
  const { [day]: _, ...others } = days;
  return others;
}

export function sums<Dimension extends string, Type extends EventType>(definition: {
  /** The names of `dimensions` and `details`. */
  readonly fields: readonly Dimension[];
  readonly figures: FigureNames;
  readonly name: string;
  readonly version: number;
  readonly category: Category;
  readonly takes: readonly Type[];
  /** What the event adds; an event that undoes something adds its negative. */
  readonly changes: (event: NoInfer<KnownEvent<Type>>) => readonly Change[];
  /** Indexes beside the one by month, each without the tenant and the month around it. */
  readonly foundBy?: readonly string[];
  /** For models of which most days have many quarter hours: a month is then read without them. */
  readonly isSplit?: true;
  /** As in `CollectionSpec`. */
  readonly isReadOften?: ReadOften;
}): Sums<Dimension> {
  const {
    name,
    version,
    category,
    takes,
    changes,
    figures: names,
    foundBy = [],
    isSplit = false,
    isReadOften,
  } = definition;
  const places = placesOf(names);
  // Asked for the keys of an event, and again for each of its documents.
  const changesOf = oncePerObject((event: RecordedEvent): readonly SumsChange[] => {
    if (!takesEvent({ takes }, event)) return [];
    return changes(event).map((change) => {
      const { at } = change;
      const month = at?.slice(0, MONTH_LENGTH) ?? '';
      const { tenantId, companyId } = event.metadata;
      const key = documentId(tenantId, companyId ?? '', ...Object.values(change.dimensions), month);
      const dayKey = isSplit && at !== null ? `${key}${at.slice(MONTH_LENGTH, DAY_LENGTH)}` : null;
      return { ...change, key, month, dayKey };
    });
  });
  const indexesBy = (span: string): Index[] => [
    { fields: ['tenantId', span] },
    ...foundBy.map((field) => ({ fields: ['tenantId', field, span] })),
  ];

  function changed(body: Body<Dimension>, { at, slot, figures }: SumsChange, isDay: boolean): Body<Dimension> {
    const total = isDay ? '' : addPacked(body.total, figures, places);
    if (at === null) return { ...body, total };
    const day = at.slice(0, DAY_LENGTH);
    const before = body.days[day] ?? '';
    let [ofDay, slots] = partsOf(before);
    if (!isDay) ofDay = addPacked(ofDay, figures, places);
    if (isDay || !isSplit) slots = addToSlots(slots, slotAt(at, slot), figures, places);
    return { ...body, total, days: withDay(body.days, day, ofDay + slots) };
  }

  return {
    changesOf,
    category,
    figures: names,
    isSplit,
    projection: {
      name,
      version,
      takes,
      ...defined({ isReadOften }),
      indexes: isSplit ? [...indexesBy('month'), ...indexesBy('day')] : indexesBy('month'),
      keys: (event) => [
        ...new Set(changesOf(event).flatMap(({ key, dayKey }) => (dayKey === null ? [key] : [key, dayKey]))),
      ],
      evolve(document, event, key) {
        let after: Body<Dimension> | undefined = document;
        for (const change of changesOf(event)) {
          const isDay = change.dayKey === key;
          if (!isDay && change.key !== key) continue;
          after = changed(after ?? fresh<Dimension>(event, change, isDay), change, isDay);
        }
        return after;
      },
    },
  };
}

/** The same figures with the opposite sign. */
export function negative(figures: Figures): Figures {
  return plus({}, figures, -1);
}
