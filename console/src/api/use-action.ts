import { useState } from 'preact/hooks';
import { type Failure, failureOf } from './failure.ts';

export type Action = {
  readonly isBusy: boolean;
  /** Of the last attempt; null while one is under way. */
  readonly failure: Failure | null;
  readonly run: (call: () => Promise<void>) => void;
};

/** One call by a form: what was typed stays where it fails. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = (call: () => Promise<void>): void => {
    setBusy(true);
    setFailure(null);
    call()
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setBusy(false));
  };
  return { isBusy, failure, run };
}
