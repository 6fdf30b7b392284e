import { useEffect } from 'preact/hooks';
import type { Load } from '../../api/use-load.ts';

export type SectionProps = {
  /** Another one: load anew what is shown. */
  readonly turn: number;
  /** Called once, when the section has its data or its failure, and so its height. */
  readonly onSettled: () => void;
};

export function useSettled({ isLoading }: Load<unknown>, onSettled: () => void): void {
  // Of the first load alone.
  useEffect(() => {
    if (!isLoading) onSettled();
  }, [isLoading]);
}
