import { useEffect, useState } from 'preact/hooks';
import type { ListCount } from '../../../sdk/src/index.ts';
import { api } from '../api/client.ts';
import { news } from '../api/news.ts';
import { useDebounced } from '../api/use-debounced.ts';
import { company } from '../session/session.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';
import { asOf } from './as-of-moment.ts';

const SETTLES_MS = 500;
/** A stream of changes would hold a connection of the browser for a number that may be half a minute old. */
const AGAIN_MS = 30_000;

/** How many rows wait in the review inbox; nothing where none do, while the past is shown, or where it fails. */
export function WaitingCount() {
  const w = common();
  const [count, setCount] = useState<ListCount | null>(null);
  const age = useDebounced(news.value, SETTLES_MS);
  const isPast = asOf.value !== null;
  const chosen = company.value;
  useEffect(() => {
    if (isPast) return setCount(null);
    const ending = new AbortController();
    const load = (): void => {
      if (document.hidden) return;
      api()
        .getTransactionTotals({ assigned: false }, { signal: ending.signal })
        .then(
          (found) => setCount(found.count),
          () => undefined,
        );
    };
    load();
    const timer = setInterval(load, AGAIN_MS);
    document.addEventListener('visibilitychange', load);
    return () => {
      ending.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', load);
    };
  }, [age, isPast, chosen]);
  if (count === null || count.value === 0) return null;
  const digits = new Intl.NumberFormat(language.value).format(count.value);
  return (
    <span class="badge digits">
      <span aria-hidden="true">{count.atLeast ? `${digits}+` : digits}</span>
      <span class="hidden">{w.frame.waiting(count.value)}</span>
    </span>
  );
}
