import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { withMoment } from '../../frame/as-of-moment.ts';
import type { PageProps } from '../../page-props.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { to } from '../../router.ts';
import { Question } from './question.tsx';
import { analyticsWords } from './words.ts';

import './page.css';

/** The questions at the left, the answer to the chosen one beside them. */
export function Page({ rest: [id] }: PageProps) {
  const w = analyticsWords();
  const load = useLoad('queries', (signal) => api().listAnalyticsQueries({ signal }));
  return (
    <Loaded of={load} what={w.failed}>
      {({ items }) => {
        const chosen = items.find((query) => query.id === id) ?? items[0];
        return (
          <div class="analytics">
            <nav aria-label={w.questions}>
              <ul>
                {items.map((query) => (
                  <li key={query.id}>
                    <a
                      href={withMoment(to('analytics', query.id))}
                      aria-current={query === chosen ? 'page' : undefined}
                    >
                      {w.titles[query.id] ?? query.title}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
            {chosen && <Question key={chosen.id} query={chosen} />}
          </div>
        );
      }}
    </Loaded>
  );
}
