import type { ComponentChildren } from 'preact';

type Props = {
  /** Why there is nothing, in one sentence. */
  readonly children: ComponentChildren;
  /** The one thing to do about it. */
  readonly action?: ComponentChildren;
};

export function Empty({ children, action }: Props) {
  return (
    <div class="state">
      <p>{children}</p>
      {action}
    </div>
  );
}
