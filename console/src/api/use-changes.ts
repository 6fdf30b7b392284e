import { useEffect, useRef } from 'preact/hooks';
import type { Change, ListChangesQuery } from '../../../sdk/src/index.ts';
import { asOf } from '../frame/as-of-moment.ts';
import { api } from './client.ts';
import { news } from './news.ts';

type Types = NonNullable<ListChangesQuery['types']>;

/**
 * Calls `onChanges` when resources of these types came or changed, as long as the page is open. It asks for what the
 * person may read; while the page is hidden or shows the past, nothing is asked.
 */
export function useChanges(types: Types, onChanges: (changes: readonly Change[]) => void): void {
  const latest = useRef(onChanges);
  latest.current = onChanges;
  const client = api();
  const isPast = asOf.value !== null;
  const key = types.join(',');
  useEffect(() => {
    if (key === '' || isPast) return;
    const ending = new AbortController();
    const walk = async (): Promise<void> => {
      const query = { types: key.split(',') as Types, after: 'now' };
      for await (const page of client.changes(query, { signal: ending.signal })) {
        if (page.items.length === 0) continue;
        latest.current(page.items);
        news.value += 1;
      }
    };
    walk().catch(() => undefined);
    return () => ending.abort();
  }, [key, isPast, client]);
}
