import { type BankTransactionState, bankTransaction } from '../../../src/deciders/bank-transaction.ts';
import type { RecordedEvent } from '../../../src/events/event.ts';
import { type EventData, type EventType, isKnown, type KnownEvent } from '../../../src/events/registry.ts';
import { parseStreamName } from '../../../src/log/streams.ts';

/** The whole log, sorted by stream, for the checks of a finished life. */
export type History = {
  readonly events: readonly KnownEvent[];
  readonly ofStream: ReadonlyMap<string, readonly KnownEvent[]>;
  /** The events of each stream of a category, by the id in its name. */
  readonly of: (category: string) => ReadonlyMap<string, readonly KnownEvent[]>;
};

export function sortHistory(events: readonly RecordedEvent[]): History {
  const known = events.filter(isKnown);
  const ofStream = Map.groupBy(known, ({ stream }) => stream);
  const byCategory = new Map<string, Map<string, readonly KnownEvent[]>>();
  for (const [stream, some] of ofStream) {
    const { category, id } = parseStreamName(stream);
    const ids = byCategory.get(category) ?? new Map();
    byCategory.set(category, ids.set(id, some));
  }
  return { events: known, ofStream, of: (category) => byCategory.get(category) ?? new Map() };
}

export function firstOf<Type extends EventType>(
  events: readonly KnownEvent[] | undefined,
  type: Type,
): EventData<Type> | undefined {
  return events?.find((event) => event.type === type)?.data as EventData<Type> | undefined;
}

export function allOf<Type extends EventType>(events: readonly KnownEvent[], type: Type): KnownEvent<Type>[] {
  return events.filter((event) => event.type === type) as unknown as KnownEvent<Type>[];
}

export function transactionAfter(events: readonly KnownEvent[]): BankTransactionState {
  return (events as readonly KnownEvent<never>[]).reduce(bankTransaction.evolve, bankTransaction.initialState);
}
