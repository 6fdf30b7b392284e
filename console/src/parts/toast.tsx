import { signal } from '@preact/signals';
import { type Failure, failureOf } from '../api/failure.ts';
import { common } from '../words/index.ts';
import { Button } from './button.tsx';
import { FailureText } from './failure.tsx';

type Toast = {
  readonly id: number;
  readonly text: string;
  readonly failure?: Failure;
  readonly undo?: () => void | Promise<void>;
};

const SHOWN_MS = 8_000;
let nextId = 1;
const toasts = signal<readonly Toast[]>([]);

function drop(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Says what was done, for a few seconds; with `undo` for longer, and until something else was done. */
export function toast(text: string, undo?: () => void | Promise<void>): void {
  const id = nextId++;
  toasts.value = [...toasts.value.filter((one) => one.undo === undefined), { id, text, ...(undo ? { undo } : {}) }];
  setTimeout(() => drop(id), undo ? SHOWN_MS * 3 : SHOWN_MS);
}

/** Says what could not be done, until it is closed. */
export function toastFailure(text: string, error: unknown): void {
  toasts.value = [...toasts.value, { id: nextId++, text, failure: failureOf(error) }];
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, failure, undo }) => (
        <div key={id} class="toast">
          <div class="grow">
            <p class={failure ? 'bad' : ''}>{text}</p>
            {failure && <FailureText failure={failure} />}
          </div>
          {undo && (
            <Button
              kind="quiet"
              onClick={() => {
                drop(id);
                Promise.resolve(undo()).catch((error: unknown) => toastFailure(text, error));
              }}
            >
              {common().do.undo}
            </Button>
          )}
          <Button kind="quiet" icon="close" label={common().do.close} onClick={() => drop(id)} />
        </div>
      ))}
    </div>
  );
}
