type Caused = {
  readonly eventId: string;
  readonly entityType: string | null;
  readonly entityId: string;
  readonly causationId: string | null;
  readonly position: string;
};

export type Branch<Event> = { readonly event: Event; readonly children: readonly Branch<Event>[] };

/** In the order of the log. What was caused by no event of these stands at the root; a circle cannot hide any. */
export function treeOf<Event extends Caused>(events: readonly Event[]): Branch<Event>[] {
  const sorted = events.toSorted((one, other) => (one.position < other.position ? -1 : 1));
  const ids = new Set(sorted.map(({ eventId }) => eventId));
  const shown = new Set<string>();
  const branch = (event: Event): Branch<Event> => {
    shown.add(event.eventId);
    const children = sorted.filter(({ causationId, eventId }) => causationId === event.eventId && !shown.has(eventId));
    return { event, children: children.map(branch) };
  };
  const roots = sorted.filter(({ causationId }) => causationId === null || !ids.has(causationId)).map(branch);
  return [...roots, ...sorted.filter(({ eventId }) => !shown.has(eventId)).map((event) => ({ event, children: [] }))];
}
