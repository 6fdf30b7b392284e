import { useEffect, useState } from 'preact/hooks';
import { common } from '../words/index.ts';

const AFTER_MS = 150;

type Props = {
  /** How many lines come. */
  readonly lines?: number;
  /** `rows` as high as those of a table, `block` a card, `chart` as high as one. */
  readonly as?: 'lines' | 'rows' | 'block' | 'chart';
};

/** The shape of what comes, once 150 ms have passed; it keeps the place from the start, so that nothing jumps. */
export function Skeleton({ lines = 3, as = 'lines' }: Props) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`skeleton ${as} ${isLate ? 'late' : ''}`} role="status" aria-label={common().states.loading}>
      {Array.from({ length: lines }, (_, index) => (
        // they are all alike
        <span key={index} />
      ))}
    </div>
  );
}
