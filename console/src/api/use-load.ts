import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureOf } from './failure.ts';

export type Load<Data> = {
  /** The last that came; it stays while it is loaded anew and when that fails. */
  readonly data: Data | undefined;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  /** When `data` came. */
  readonly at: Date | null;
  readonly reload: () => void;
};

type State<Data> = Omit<Load<Data>, 'reload'> & { readonly key: string };

/**
 * Loads what the key names, and anew when the key changes; what came for another key is dropped, and a call whose
 * answer nobody waits for is ended. An empty key loads nothing. Another `age` loads the same anew, and what came before
 * is shown meanwhile.
 */
export function useLoad<Data>(key: string, load: (signal: AbortSignal) => Promise<Data>, age = 0): Load<Data> {
  const empty: State<Data> = { key, data: undefined, failure: null, isLoading: key !== '', at: null };
  const [state, setState] = useState<State<Data>>(empty);
  const [turn, setTurn] = useState(0);
  const current = useRef(load);
  current.current = load;
  // a turn is a wish to load the same again
  useEffect(() => {
    if (key === '') return;
    const ending = new AbortController();
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { ...empty, isLoading: true }));
    current.current(ending.signal).then(
      (data) => {
        if (!ending.signal.aborted) setState({ key, data, failure: null, isLoading: false, at: new Date() });
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        setState((before) => ({ ...before, key, failure: failureOf(error), isLoading: false }));
      },
    );
    return () => ending.abort();
  }, [key, turn, age]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const { key: loaded, ...shown } = state.key === key ? state : empty;
  void loaded;
  return { ...shown, reload };
}
