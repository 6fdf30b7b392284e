import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { common } from '../words/index.ts';
import { Button } from './button.tsx';

type Props = {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** Buttons at its foot, the one that goes on last. */
  readonly actions?: ComponentChildren;
  readonly class?: string;
  /** No heading and no close button in sight, as for the palette. */
  readonly bare?: boolean;
};

/** Modal: the page behind is out of reach, Escape closes, and the focus goes back to where it came from. */
export function Dialog({ title, children, onClose, actions, class: more = '', bare = false }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${more}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      {bare ? (
        <h2 id={id} class="hidden">
          {title}
        </h2>
      ) : (
        <header class="row between">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" icon="close" label={common().do.close} onClick={onClose} />
        </header>
      )}
      {bare ? children : <div class="stack">{children}</div>}
      {actions && <footer class="row">{actions}</footer>}
    </dialog>
  );
}

type ConfirmProps = {
  readonly title: string;
  /** What happens, in words that name the thing. */
  readonly children: ComponentChildren;
  /** What the button does: "Archive the rule", never "OK". */
  readonly action: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks once. */
export function Confirm({ title, children, action, danger = false, busy = false, onConfirm, onClose }: ConfirmProps) {
  const actions = (
    <>
      <Button onClick={onClose}>{common().do.cancel}</Button>
      <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} actions={actions}>
      {children}
    </Dialog>
  );
}
