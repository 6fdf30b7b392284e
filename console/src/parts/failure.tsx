import type { Failure } from '../api/failure.ts';
import { failuresTr } from '../words/failures-tr.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { Icon } from './icon.tsx';

const MOST_ISSUES = 10;

/**
 * Sentence, code and request id of a failed call. In a language that the service does not speak its own sentence stands
 * under the details, beside what it says of single fields.
 */
export function FailureText({ failure }: { readonly failure: Failure }) {
  const w = common().states;
  const { code, message, requestId } = failure;
  const ours = code === 'NO_ANSWER' ? w.noAnswer : language.value === 'tr' ? failuresTr[code] : undefined;
  return (
    <div class="small muted">
      <p>
        {ours ?? message} <code>{code}</code>
        {requestId !== '' && (
          <>
            {' '}
            {w.requestId} <Copy text={requestId} />
          </>
        )}
      </p>
      <Details said={ours === undefined || code === 'NO_ANSWER' ? '' : message} issues={issuesOf(failure)} />
    </div>
  );
}

type Issue = { readonly path?: unknown; readonly message?: unknown };

/** What the service says of single fields, of which a form has not shown all. */
function issuesOf({ meta: { issues } }: Failure): readonly Issue[] {
  return Array.isArray(issues) ? (issues as Issue[]).slice(0, MOST_ISSUES) : [];
}

function Details({ said, issues }: { readonly said: string; readonly issues: readonly Issue[] }) {
  if (said === '' && issues.length === 0) return null;
  return (
    <details class="fold">
      <summary>{common().states.details}</summary>
      {said !== '' && <p lang="en">{said}</p>}
      {issues.map(({ path, message }, index) => (
        <p key={index} lang="en">
          <code>{String(path ?? '')}</code> {String(message ?? '')}
        </p>
      ))}
    </details>
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
