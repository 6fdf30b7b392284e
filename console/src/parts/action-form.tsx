import type { ComponentChildren } from 'preact';
import type { Action } from '../api/use-action.ts';
import { common } from '../words/index.ts';
import { Button } from './button.tsx';
import { FailureText } from './failure.tsx';

type Props = {
  readonly action: Action;
  /** What is said when it fails. */
  readonly failed: string;
  readonly submit: string;
  readonly disabled?: boolean;
  /** False beside another form, since a page has one primary action. */
  readonly primary?: boolean;
  readonly onSubmit: () => void;
  /** Without, there is nothing to cancel. */
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
};

/** Fields, the failure of the last attempt, and the button that sends them. */
export function ActionForm({ action, failed, submit, onSubmit, onCancel, children, ...rest }: Props) {
  const { disabled = false, primary = true } = rest;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {action.failure && (
        <div role="alert">
          <p class="bad">{failed}</p>
          <FailureText failure={action.failure} />
        </div>
      )}
      <div class="row">
        <Button kind={primary ? 'primary' : 'plain'} type="submit" busy={action.isBusy} disabled={disabled}>
          {submit}
        </Button>
        {onCancel && <Button onClick={onCancel}>{common().do.cancel}</Button>}
      </div>
    </form>
  );
}
