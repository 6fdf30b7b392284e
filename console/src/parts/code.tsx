import { Copy } from './copy.tsx';

type Props = {
  readonly title: string;
  /** Text as it is; anything else is written as JSON. */
  readonly value: unknown;
  readonly open?: boolean;
};

/** JSON or text, folded; one click copies all of it. */
export function Code({ title, value, open = false }: Props) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <details class="fold" open={open}>
      <summary>{title}</summary>
      <div class="code-block">
        <Copy text={text}>{title}</Copy>
        <pre tabIndex={0}>{text}</pre>
      </div>
    </details>
  );
}
