/** Browsers give no element more height than about 17 million pixels, some fewer: taller tables are mapped. */
const TALLEST_PX = 8_000_000;
const EDGE_PX = 2_000;

/**
 * Where rows are while a box scrolls. A table that is taller than a box may be keeps the pixels of small movements, so
 * that scrolling by wheel is exact, and maps a drag of the bar by its share. `shift` is what to add to a row's own
 * place to get its place in the box.
 */
export type Scroll = { readonly top: number; readonly shift: number; readonly height: number };

export function scrollStart(): Scroll {
  return { top: 0, shift: 0, height: 0 };
}

/** What the box is set to, where that differs from where it is. */
export type Scrolled = { readonly scroll: Scroll; readonly setTo: number | null };

type Box = { readonly at: number; readonly before: number; readonly view: number; readonly whole: number };

/** After the box has moved from `before` to `at`; `whole` is the height of all rows, `view` that of the box. */
export function scrolled(scroll: Scroll, { at, before, view, whole }: Box): Scrolled {
  const height = Math.min(whole, TALLEST_PX);
  if (whole <= TALLEST_PX) return { scroll: { top: at, shift: 0, height }, setTo: null };
  const [range, most] = [height - view, whole - view];
  const share = (top: number): number => Math.round((top / most) * range);
  const isSmall = Math.abs(at - before) < view * 2;
  const top = Math.max(0, Math.min(most, isSmall ? scroll.top + (at - before) : (at / range) * most));
  const isAtEdge = (at < EDGE_PX && top > EDGE_PX) || (at > range - EDGE_PX && top < most - EDGE_PX);
  const placed = isSmall && isAtEdge ? share(top) : at;
  return { scroll: { top, shift: placed - top, height }, setTo: placed === at ? null : placed };
}

/** Where the box has to be for the row's place to be its first; the same mapping. */
export function scrollTo(top: number, view: number, whole: number): Scrolled {
  const height = Math.min(whole, TALLEST_PX);
  const bounded = Math.max(0, Math.min(Math.max(0, whole - view), top));
  const at = whole <= TALLEST_PX ? bounded : Math.round((bounded / (whole - view)) * (height - view));
  return { scroll: { top: bounded, shift: at - bounded, height }, setTo: at };
}
