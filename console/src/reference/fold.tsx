import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

type Props = {
  readonly title: ComponentChildren;
  readonly open?: boolean;
  readonly children: () => ComponentChildren;
};

/** What is inside is made when it is opened first: a schema may contain itself. */
export function Fold({ title, open = false, children }: Props) {
  const [isOpen, setOpen] = useState(open);
  return (
    <details class="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}
