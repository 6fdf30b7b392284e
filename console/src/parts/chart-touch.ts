type Options = {
  /** The point under a place of the screen; null while nothing is drawn. */
  readonly pointAt: (clientX: number) => number | null;
  /** The finger went from one point to another. */
  readonly onDraw: (from: number, at: number) => void;
  /** It was lifted where it last was. */
  readonly onDone: (from: number, at: number) => void;
  /** It draws nothing after all. */
  readonly onCancel: () => void;
};

/** A finger that moved less than this has tapped. */
const LEAST_PX = 12;

/**
 * Draws a span with a finger or a pen. The element has `touch-action: pan-y`: the browser keeps what goes up or down
 * and then cancels the pointer, so that the page scrolls as anywhere else. Returns what ends it.
 */
export function brushByTouch(element: HTMLElement, { pointAt, onDraw, onDone, onCancel }: Options): () => void {
  let start: { readonly id: number; readonly x: number; readonly point: number } | null = null;
  let at: number | null = null;

  const cancel = (): void => {
    if (at !== null) onCancel();
    start = null;
    at = null;
  };
  const down = ({ pointerType, isPrimary, pointerId: id, clientX: x }: PointerEvent): void => {
    // A second finger makes it a gesture of the browser's.
    if (!isPrimary) cancel();
    const point = isPrimary && pointerType !== 'mouse' ? pointAt(x) : null;
    if (point !== null) start = { id, x, point };
  };
  const move = ({ pointerId, clientX }: PointerEvent): void => {
    if (start === null || pointerId !== start.id) return;
    if (at === null && Math.abs(clientX - start.x) < LEAST_PX) return;
    at = pointAt(clientX) ?? at;
    if (at !== null) onDraw(start.point, at);
  };
  const up = ({ pointerId }: PointerEvent): void => {
    if (start === null || pointerId !== start.id) return;
    const drawn = at === null ? null : ([start.point, at] as const);
    start = null;
    at = null;
    if (drawn !== null) onDone(...drawn);
  };
  const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: cancel } as const;
  for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener as EventListener);
  return () => {
    for (const [type, listener] of Object.entries(listeners)) {
      element.removeEventListener(type, listener as EventListener);
    }
  };
}
