import type { ComponentChildren } from 'preact';
import type { Load } from '../api/use-load.ts';
import { formatTime } from '../format/dates.ts';
import { timeZone } from '../session/session.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';
import { Button } from './button.tsx';
import { FailurePanel } from './failure.tsx';
import { Skeleton } from './skeleton.tsx';

type Props<Data> = {
  readonly of: Load<Data>;
  /** What is said when it fails: "The balances could not be loaded." */
  readonly what: string;
  readonly skeleton?: ComponentChildren;
  readonly children: (data: Data) => ComponentChildren;
};

/** What was loaded, or its skeleton, or its failure. After a failure what came last stays, greyed, with its time. */
export function Loaded<Data>({ of: { data, failure, at, reload }, what, skeleton, children }: Props<Data>) {
  if (data === undefined) {
    if (failure !== null) return <FailurePanel failure={failure} what={what} onAgain={reload} />;
    return <>{skeleton ?? <Skeleton />}</>;
  }
  return (
    <>
      {failure !== null && at !== null && (
        <p class="note" role="status">
          {common().states.stale(formatTime(language.value, timeZone.value, at))}{' '}
          <Button kind="quiet" onClick={reload}>
            {common().do.again}
          </Button>
        </p>
      )}
      <div class={failure === null ? 'contents' : 'stale'}>{children(data)}</div>
    </>
  );
}
