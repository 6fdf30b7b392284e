import type { Difference } from '../../../../sdk/src/index.ts';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { auditWords } from './words.ts';

/** Field by field, before and after. */
export function Changes({ changes }: { readonly changes: readonly Difference[] }) {
  const w = auditWords();
  if (changes.length === 0) return <p class="muted">{w.nothingChanged}</p>;
  return (
    <SimpleTable
      caption={w.changed}
      rows={changes}
      keyOf={({ path }) => path}
      columns={[
        { key: 'field', title: w.field, cell: ({ path }) => <code>{path}</code> },
        { key: 'before', title: w.before, cell: ({ before }) => <Value value={before} /> },
        { key: 'after', title: w.after, cell: ({ after }) => <Value value={after} /> },
      ]}
    />
  );
}

/** As short as it can be said: text as it is, nothing as a dash, all else as JSON. */
export function Value({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null || value === '') return <span class="muted">—</span>;
  if (typeof value === 'object') return <code class="value">{JSON.stringify(value)}</code>;
  return <span class="value">{String(value)}</span>;
}
