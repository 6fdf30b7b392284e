type Props = {
  readonly tone: 'good' | 'warn' | 'bad' | 'none';
  readonly children: string;
};

const SIGNS = { good: '●', warn: '◐', bad: '▲', none: '○' } as const;

/** A state: a sign of its own shape and a word, so that colour is never the only difference. */
export function StateWord({ tone, children }: Props) {
  return (
    <span class={`state-word ${tone}`}>
      <span aria-hidden="true">{SIGNS[tone]}</span> {children}
    </span>
  );
}
