import { useEffect, useMemo, useState } from 'preact/hooks';
import { Drawer } from '../../parts/drawer.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Money } from '../../parts/money.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { Table } from '../../parts/table.tsx';
import { tableRows } from '../../parts/table-rows.ts';
import { Specimen } from './specimen.tsx';

type Row = { readonly id: string; readonly name: string; readonly amount: string };

const ROWS = 1_000_000;

function madeRows() {
  return tableRows<Row>(async (cursor, limit) => {
    const from = Number(cursor ?? 0);
    const items = Array.from({ length: Math.min(limit, ROWS - from) }, (_, index) => {
      const at = from + index;
      return { id: String(at), name: `Counterparty ${at}`, amount: `${(at * 37) % 9_999}.${at % 10}` };
    });
    return { items, nextCursor: from + limit < ROWS ? String(from + limit) : null };
  });
}

export function Lists() {
  const rows = useMemo(madeRows, []);
  const none = useMemo(() => tableRows<Row>(async () => ({ items: [], nextCursor: null })), []);
  const failing = useMemo(() => tableRows<Row>(() => Promise.reject(new Error('no answer'))), []);
  const [open, setOpen] = useState<Row | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => () => rows.stop(), [rows]);
  const columns = [
    { key: 'name', title: 'Counterparty', width: 'minmax(0, 2fr)', cell: (row: Row) => row.name, narrow: 'lead' },
    {
      key: 'amount',
      title: 'Amount',
      width: '140px',
      end: true,
      cell: (row: Row) => <Money amount={row.amount} currency="EUR" as="flow" />,
      narrow: 'figure',
    },
  ] as const;
  const table = { columns, keyOf: ({ id }: Row) => id, failed: 'The rows could not be loaded.' };
  return (
    <div class="specimens">
      <Specimen name="Table of 1,000,000 rows, with a drawer">
        <div class="tall">
          <Table
            {...table}
            label="Rows"
            rows={rows}
            openKey={open?.id ?? null}
            onOpen={setOpen}
            isSelected={(key) => chosen.has(key)}
            onSelect={(picked, selected) => {
              const next = new Set(chosen);
              for (const { id } of picked) selected ? next.add(id) : next.delete(id);
              setChosen(next);
            }}
            empty={<Empty>There are no rows.</Empty>}
          />
        </div>
      </Specimen>
      <Specimen name="Table: empty, failed">
        <Table {...table} label="None" rows={none} empty={<Empty>No row has this filter.</Empty>} />
        <Table {...table} label="Failed" rows={failing} empty={null} />
      </Specimen>
      <Specimen name="Table that is read">
        <SimpleTable
          caption="Totals"
          columns={[
            { key: 'c', title: 'Currency', cell: (row: Row) => row.name },
            { key: 'a', title: 'Net', end: true, cell: (row: Row) => <Money amount={row.amount} currency="EUR" /> },
          ]}
          rows={[
            { id: '1', name: 'EUR', amount: '2100' },
            { id: '2', name: 'USD', amount: '-310.5' },
          ]}
          keyOf={({ id }) => id}
        />
      </Specimen>
      {open && (
        <Drawer title={open.name} of={open.id} onClose={() => setOpen(null)} foot="What stays at its foot">
          <Money amount={open.amount} currency="EUR" as="flow" large />
        </Drawer>
      )}
    </div>
  );
}
