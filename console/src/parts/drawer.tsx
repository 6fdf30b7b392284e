import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { common } from '../words/index.ts';
import { Button } from './button.tsx';
import { isNarrow } from './narrow.ts';

type Props = {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** At its foot, always in sight. */
  readonly foot?: ComponentChildren;
  /** What it shows: when that changes it scrolls to its top. */
  readonly of: string;
};

/**
 * Details beside a list, which stays usable: the focus stays in the list, and Enter on the open row moves it here. When
 * narrow it covers the list and takes the focus. Escape closes it.
 */
export function Drawer({ title, onClose, children, foot, of }: Props) {
  const id = useId();
  const element = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNarrow.value) element.current?.focus();
    const closeByKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && document.querySelector('dialog[open]') === null)
        onClose();
    };
    document.addEventListener('keydown', closeByKey);
    return () => document.removeEventListener('keydown', closeByKey);
  }, [onClose]);
  // another thing is shown from its top
  useEffect(() => {
    if (body.current) body.current.scrollTop = 0;
  }, [of]);
  return (
    <aside class="drawer" ref={element} aria-labelledby={id} tabIndex={-1}>
      <header>
        <h2 id={id} class="grow">
          {title}
        </h2>
        <Button kind="quiet" icon="close" label={common().do.close} onClick={onClose} />
      </header>
      <div class="drawer-body" ref={body} tabIndex={0}>
        {children}
      </div>
      {foot && <footer>{foot}</footer>}
    </aside>
  );
}
