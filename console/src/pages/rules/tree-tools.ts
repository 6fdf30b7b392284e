import type { DraftFault, Node } from './draft.ts';

/** What the lines and groups of a tree of conditions do to it, by the keys of its nodes. */
export type TreeTools = {
  readonly faults: ReadonlyMap<number, DraftFault>;
  readonly disabled: boolean;
  /** Null removes it. */
  readonly set: (key: number, node: Node | null) => void;
  readonly move: (key: number, by: -1 | 1) => void;
  readonly drag: {
    readonly start: (key: number) => void;
    readonly over: (key: number) => boolean;
    readonly drop: (key: number) => void;
  };
};
