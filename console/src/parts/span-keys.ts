/** Points of a chart, the first and the last included; `at` moves, `from` stays while Shift is held. */
export type Span = { readonly from: number; readonly at: number };

type Pressed = { readonly key: string; readonly shiftKey: boolean };

/** The span after a key, null for a key that moves none. A chart without a span begins at its last point. */
export function spanAfter({ key, shiftKey }: Pressed, span: Span | null, count: number): Span | null {
  const before = span?.at ?? count - 1;
  const wanted = {
    ArrowLeft: span === null ? before : before - 1,
    ArrowRight: before + 1,
    PageUp: before - 7,
    PageDown: before + 7,
    Home: 0,
    End: count - 1,
  }[key];
  if (wanted === undefined || count === 0) return null;
  const at = Math.min(count - 1, Math.max(0, wanted));
  return { from: shiftKey && span !== null ? span.from : at, at };
}
