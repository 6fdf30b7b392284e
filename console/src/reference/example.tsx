import { Copy } from '../parts/copy.tsx';
import { Fold } from './fold.tsx';

/** Text in a box of its own, which a click copies. */
export function Listing({
  label,
  text,
  copy = label,
}: {
  readonly label: string;
  readonly text: string;
  readonly copy?: string;
}) {
  return (
    <div class="code-block">
      <Copy text={text}>{copy}</Copy>
      <pre tabIndex={0} aria-label={label} role="region">
        {text}
      </pre>
    </div>
  );
}

export function Example({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <Fold title={title}>
      {() => <Listing label={title} text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />}
    </Fold>
  );
}
