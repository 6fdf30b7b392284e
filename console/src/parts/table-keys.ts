/** What a key does in a table; null where it is not the table's. */
export type TableMove =
  | { readonly type: 'go'; readonly to: number; readonly extend: boolean }
  | { readonly type: 'toggle' }
  | { readonly type: 'open' }
  | null;

type Where = { readonly active: number; readonly count: number; readonly perPage: number };

export function tableMove(event: KeyboardEvent, { active, count, perPage }: Where): TableMove {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.key === ' ') return { type: 'toggle' };
  if (event.key === 'Enter') return { type: 'open' };
  const targets: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    j: active + 1,
    k: active - 1,
    PageDown: active + perPage,
    PageUp: active - perPage,
    Home: 0,
    End: count - 1,
  };
  const target = targets[event.key];
  if (target === undefined) return null;
  return { type: 'go', to: Math.max(0, Math.min(count - 1, target)), extend: event.shiftKey };
}
