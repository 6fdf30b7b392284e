import type { Failure } from '../api/failure.ts';
import { common } from '../words/index.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { Icon } from './icon.tsx';

/** Sentence, code and request id of a failed call. */
export function FailureText({ failure }: { readonly failure: Failure }) {
  const w = common().states;
  return (
    <p class="small muted">
      {failure.code === 'NO_ANSWER' ? w.noAnswer : failure.message} <code>{failure.code}</code>
      {failure.requestId !== '' && (
        <>
          {' '}
          {w.requestId} <Copy text={failure.requestId} />
        </>
      )}
    </p>
  );
}

type Props = {
  readonly failure: Failure;
  /** What could not be done: "The transactions could not be loaded." */
  readonly what: string;
  readonly onAgain?: () => void;
};

/** What could not be done, why, and a way to try again; for 403 which right is missing. */
export function FailurePanel({ failure, what, onAgain }: Props) {
  if (failure.missing !== null) return <Forbidden right={failure.missing} />;
  return (
    <div class="state" role="alert">
      <Icon name="warning" />
      <p class="bad">{what}</p>
      <FailureText failure={failure} />
      {onAgain && <Button onClick={onAgain}>{common().do.again}</Button>}
    </div>
  );
}

/** The person may not see it: says which right is missing and who gives it. */
export function Forbidden({ right }: { readonly right: string }) {
  const w = common().states;
  return (
    <div class="state" role="alert">
      <Icon name="person" />
      <p>{w.forbidden}</p>
      <p class="small muted">{w.missingRight(right)}</p>
    </div>
  );
}
