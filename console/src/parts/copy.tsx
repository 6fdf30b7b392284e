import { useEffect, useState } from 'preact/hooks';
import { common } from '../words/index.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1_500;

type Props = {
  readonly text: string;
  /** Shown instead of the text, such as the first characters of a hash. */
  readonly children?: string;
};

/** An id or hash that a click copies whole. */
export function Copy({ text, children }: Props) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      class="copy mono"
      title={`${common().do.copy}: ${text}`}
      onClick={() => {
        navigator.clipboard?.writeText(text).then(
          () => setCopied(true),
          () => undefined,
        );
      }}
    >
      <span class="clip">{children ?? text}</span>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span class="hidden" aria-live="polite">
        {isCopied ? common().do.copied : common().do.copy}
      </span>
    </button>
  );
}
