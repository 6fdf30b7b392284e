import { useEffect, useRef, useState } from 'preact/hooks';
import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { useChanges } from '../../api/use-changes.ts';
import type { TableRows } from '../../parts/table-rows.ts';

const SETTLES_MS = 500;

export type Fresh = {
  /** How many came since the list was loaded. */
  readonly count: number;
  readonly show: () => void;
};

/**
 * Keeps the rows true while the page is open: what changed is put into its place, and what came is counted, since rows
 * that move under one's hand are worse than a button that shows them.
 */
export function useLiveRows(rows: TableRows<BankTransaction>, onChanged: () => void): Fresh {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // another list has seen everything
  useEffect(() => setIds(new Set()), [rows]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useChanges(['transaction'], (changes) => {
    const came: string[] = [];
    for (const change of changes) {
      if (change.type !== 'transaction') continue;
      const isHere = rows.replace(change.resource, ({ id }) => id === change.id);
      if (!isHere && change.kind === 'created') came.push(change.id);
    }
    if (came.length > 0) setIds((before) => new Set([...before, ...came]));
    clearTimeout(timer.current);
    timer.current = setTimeout(onChanged, SETTLES_MS);
  });
  return {
    count: ids.size,
    show: () => {
      setIds(new Set());
      rows.refresh();
    },
  };
}
