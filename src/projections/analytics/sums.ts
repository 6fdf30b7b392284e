import type { RecordedEvent } from '../../events/event.ts';
import type { EventType, KnownEvent } from '../../events/registry.ts';
import type { Category } from '../../log/streams.ts';
import type { Document, Index } from '../../readstore/read-store.ts';
import { documentId } from '../../shared/ids.ts';
import { add, type Decimal, negate } from '../../shared/money.ts';
import { oncePerObject } from '../../shared/once-per-object.ts';
import { takesEvent } from '../fold-event.ts';
import type { Projection } from '../projection.ts';

/** Counts are numbers, money is decimal text. Zero figures are omitted, so that equal sums are equal documents. */
export type Figures = Readonly<Record<string, number | Decimal>>;

/** The quarter hours of one UTC day by their number from midnight, 0–95; or by a finer name that the model chooses. */
export type Quarters = Readonly<Record<string, Figures>>;

/** What an event adds to a document. */
export type Change = {
  /** What identifies the document among those of its company and month. */
  readonly dimensions: Readonly<Record<string, string>>;
  /** Further members of the document, which the dimensions determine. */
  readonly details?: Readonly<Record<string, string>>;
  /** The instant the figures belong to; null for a sum over all time. */
  readonly at: string | null;
  readonly slot?: string;
  readonly figures: Figures;
};

/**
 * Sums of one UTC month, in quarter hours: the offset of every time zone is a whole number of these, so the days of any
 * zone can be summed exactly. It holds no single transactions, so reading costs the same however many there are.
 */
export type SumsDocument<Dimension extends string = never> = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  /** `YYYY-MM`, or "" for a sum over all time. */
  readonly month: string;
  readonly days: Readonly<Record<string, Quarters>>;
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
};

export type SumsChange = Change & { readonly key: string; readonly month: string };

export const QUARTER_MS = 15 * 60_000;
const DAY_LENGTH = 'YYYY-MM-DD'.length;
const MONTH_LENGTH = 'YYYY-MM'.length;

/** The number of the quarter hour in its UTC day. */
export function quarterOf(instant: string): number {
  return Number(instant.slice(11, 13)) * 4 + Math.floor(Number(instant.slice(14, 16)) / 15);
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

function withFigures(quarters: Quarters, slot: string, figures: Figures): Quarters {
  const sum = plus(quarters[slot] ?? {}, figures);
  if (Object.keys(sum).length > 0) return { ...quarters, [slot]: sum };
  const { [slot]: _, ...others } = quarters;
  return others;
}

/** The place of a change in its document. */
export function placeOf({ at, slot }: Change): { readonly day: string; readonly slot: string } {
  if (at === null) return { day: 'ever', slot: 'ever' };
  return { day: at.slice(0, DAY_LENGTH), slot: slot ?? String(quarterOf(at)) };
}

function withChange(days: SumsDocument['days'], change: Change): SumsDocument['days'] {
  const { day, slot } = placeOf(change);
  const quarters = withFigures(days[day] ?? {}, slot, change.figures);
  if (Object.keys(quarters).length > 0) return { ...days, [day]: quarters };
  const { [day]: _, ...others } = days;
  return others;
}

function fresh<Dimension extends string>(
  { metadata: { tenantId, companyId } }: RecordedEvent,
  { dimensions, details, key, month }: SumsChange,
): Omit<SumsDocument<Dimension>, '_position'> {
  const body = { ...dimensions, ...details, _id: key, tenantId, companyId: companyId ?? '', month, days: {} };
  return body as unknown as Omit<SumsDocument<Dimension>, '_position'>;
}

export function sums<Dimension extends string, Type extends EventType>(definition: {
  /** The names of `dimensions` and `details`. */
  readonly fields: readonly Dimension[];
  readonly name: string;
  readonly version: number;
  readonly category: Category;
  readonly takes: readonly Type[];
  /** What the event adds; an event that undoes something adds its negative. */
  readonly changes: (event: NoInfer<KnownEvent<Type>>) => readonly Change[];
  /** Indexes beside the one by month, each without the tenant and the month around it. */
  readonly foundBy?: readonly string[];
}): Sums<Dimension> {
  const { name, version, category, takes, changes, foundBy = [] } = definition;
  // Asked for the keys of an event, and again for each of its documents.
  const changesOf = oncePerObject((event: RecordedEvent): readonly SumsChange[] => {
    if (!takesEvent({ takes }, event)) return [];
    return changes(event).map((change) => {
      const month = change.at?.slice(0, MONTH_LENGTH) ?? '';
      const { tenantId, companyId } = event.metadata;
      const key = documentId(tenantId, companyId ?? '', ...Object.values(change.dimensions), month);
      return { ...change, key, month };
    });
  });
  const indexes: Index[] = [
    { fields: ['tenantId', 'month'] },
    ...foundBy.map((field) => ({ fields: ['tenantId', field, 'month'] })),
  ];
  return {
    changesOf,
    category,
    projection: {
      name,
      version,
      takes,
      indexes,
      keys: (event) => [...new Set(changesOf(event).map(({ key }) => key))],
      evolve(document, event, key) {
        let after: Omit<SumsDocument<Dimension>, '_position'> | undefined = document;
        for (const change of changesOf(event)) {
          if (change.key !== key) continue;
          const before = after ?? fresh<Dimension>(event, change);
          after = { ...before, days: withChange(before.days, change) };
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
