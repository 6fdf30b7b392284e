import type { ComponentChildren } from 'preact';
import { Moment } from './moment.tsx';

export type TimelineEntry = {
  readonly id: string;
  readonly at: string;
  /** What happened, in one sentence. */
  readonly title: ComponentChildren;
  readonly by?: ComponentChildren;
  readonly details?: ComponentChildren;
};

/** What happened, in its order, each with its time. */
export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  return (
    <ol class="timeline">
      {entries.map(({ id, at, title, by, details }) => (
        <li key={id}>
          <p>{title}</p>
          <p class="small muted">
            <Moment at={at} exact />
            {by && <> · {by}</>}
          </p>
          {details}
        </li>
      ))}
    </ol>
  );
}
