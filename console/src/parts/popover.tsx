import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';

type Props = {
  readonly label: ComponentChildren;
  /** For screen readers, where the label is an icon or a bare name. */
  readonly name?: string;
  readonly icon?: IconName;
  readonly kind?: 'plain' | 'quiet';
  readonly popup?: 'menu' | 'dialog' | 'listbox';
  readonly align?: 'start' | 'end';
  readonly disabled?: boolean;
  readonly class?: string;
  readonly children: (close: () => void) => ComponentChildren;
};

/** A button and what it opens below itself. Escape and a click elsewhere close it. */
export function Popover({ label, name, icon, kind = 'plain', popup = 'dialog', align = 'start', ...rest }: Props) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>('.popover :is(input, select, button, a, [tabindex])')?.focus();
    const elsewhere = (event: Event): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', elsewhere);
    document.addEventListener('focusin', elsewhere);
    return () => {
      document.removeEventListener('pointerdown', elsewhere);
      document.removeEventListener('focusin', elsewhere);
    };
  }, [isOpen]);
  return (
    <div
      ref={box}
      class={`anchor ${rest.class ?? ''}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <Button
        kind={kind}
        {...(icon === undefined ? {} : { icon })}
        {...(name === undefined ? {} : { label: name })}
        popup={popup}
        expanded={isOpen}
        disabled={rest.disabled ?? false}
        buttonRef={button}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </Button>
      {isOpen && <div class={`popover ${align}`}>{rest.children(close)}</div>}
    </div>
  );
}
