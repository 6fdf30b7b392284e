import type { ComponentChildren, Ref, TargetedMouseEvent } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type Props = {
  readonly children?: ComponentChildren;
  /** `primary` once a page; `danger` for what cannot be undone; `quiet` has no border. */
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly icon?: IconName;
  /** Says what a button without words does; also its tooltip. */
  readonly label?: string;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly disabled?: boolean;
  /** Work goes on: it keeps its width and cannot be pressed. */
  readonly busy?: boolean;
  readonly type?: 'button' | 'submit';
  readonly expanded?: boolean;
  readonly popup?: 'menu' | 'dialog' | 'listbox';
  readonly pressed?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly class?: string;
};

export function Button({ children, kind = 'plain', icon, label, onClick, type = 'button', ...rest }: Props) {
  const { disabled = false, busy = false, expanded, popup, pressed, buttonRef, class: more = '' } = rest;
  return (
    <button
      ref={buttonRef ?? null}
      type={type}
      class={`button ${kind} ${children === undefined ? 'only-icon' : ''} ${more}`}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-expanded={expanded}
      aria-haspopup={popup}
      aria-pressed={pressed}
      aria-busy={busy || undefined}
      disabled={disabled || busy}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
