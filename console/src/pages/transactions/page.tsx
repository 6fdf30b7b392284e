import { useEffect, useMemo, useState } from 'preact/hooks';
import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useNames } from '../../api/names.ts';
import { useLoad } from '../../api/use-load.ts';
import { useRows } from '../../api/use-rows.ts';
import { atMoment } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Menu } from '../../parts/menu.tsx';
import { isNarrow } from '../../parts/narrow.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { Select } from '../../parts/select.tsx';
import { Table } from '../../parts/table.tsx';
import { toastFailure } from '../../parts/toast.tsx';
import { DEFAULT_COLUMNS, transactionColumns } from '../../parts/transaction/columns.tsx';
import { TransactionDrawer } from '../../parts/transaction/drawer.tsx';
import { transactionWords } from '../../parts/transaction/words.ts';
import { useAddress } from '../../use-address.ts';
import { common } from '../../words/index.ts';
import { language } from '../../words/language.ts';
import { columnsOfFile, saveCsv } from './export.ts';
import { filterFields, filterOf, SCHEMA, SORTS } from './filters.ts';
import { Foot } from './foot.tsx';
import { SavedViews } from './saved-views.tsx';
import { useSelection } from './selection.ts';
import { useLiveRows } from './use-live-rows.ts';
import { pageWords } from './words.ts';
import './page.css';

export function Page() {
  const w = pageWords();
  const names = useNames();
  const address = useAddress(SCHEMA);
  const { open, sort = '-transactionDate', columns: chosen = DEFAULT_COLUMNS } = address.values;
  const filter = filterOf(address.values);
  const query = { ...filter, ...atMoment() };
  const key = JSON.stringify(query);
  const selection = useSelection();
  const rows = useRows<BankTransaction>(`${key} ${sort}`, (cursor, limit, signal) =>
    api().listTransactions({ ...query, sort, limit, ...(cursor === null ? {} : { cursor }) }, { signal }),
  );
  const sums = useLoad(key, (signal) => api().getTransactionTotals(query, { signal }));
  const fresh = useLiveRows(rows, sums.reload);
  const [isSaving, setSaving] = useState(false);
  // what is selected belongs to the filter
  useEffect(() => selection.clear(), [key]);

  const speaks = language.value;
  // Columns that stay the same let the table keep what it has drawn.
  const all = useMemo(() => transactionColumns(names), [names, speaks, isNarrow.value]);
  const isOpen = open !== undefined;
  const chosenKey = chosen.join();
  const columns = useMemo(
    () => all.filter(({ key: name }) => chosenKey.split(',').includes(name) && !(isOpen && name === 'state')),
    [all, chosenKey, isOpen],
  );
  const opened = rows.present().find(({ id }) => id === open);
  const isFiltered = Object.keys(filter).length > 0;
  const close = (): void => address.set({ open: undefined }, { replace: true });
  const csv = (): void => {
    setSaving(true);
    // In the order of the table, in which the address need not name them.
    const keys = all.map((column) => column.key).filter((name) => chosen.includes(name));
    saveCsv({ ...query, sort, columns: columnsOfFile(keys) }, language.value)
      .catch((error: unknown) => toastFailure(w.csvFailed, error))
      .finally(() => setSaving(false));
  };

  return (
    <>
      <div class="tools">
        <SearchField
          label={w.search}
          value={address.values.q ?? ''}
          onSearch={(q) => address.set({ q: q.trim() === '' ? undefined : q.trim() }, { replace: true })}
        />
        <Filters fields={filterFields(names, filter.accountId)} schema={SCHEMA} address={address} />
        <div class="right">
          <Select
            bare
            label={w.sort}
            value={sort}
            choices={SORTS.map((value) => ({ value, label: w.sorts[value] }))}
            onChange={(value) => address.set({ sort: SORTS.find((one) => one === value) })}
          />
          <SavedViews />
          {!isNarrow.value && (
            <Menu
              label={w.columns}
              icon="columns"
              align="end"
              stays
              items={all.map((column) => ({
                label: column.title,
                checked: chosen.includes(column.key),
                onChoose: () => {
                  const next = all.map((one) => one.key).filter((one) => (one === column.key) !== chosen.includes(one));
                  address.set({ columns: next.length === 0 ? undefined : next }, { replace: true });
                },
              }))}
            />
          )}
          <Button icon="download" busy={isSaving} onClick={csv}>
            {w.csv}
          </Button>
        </div>
      </div>
      <div class="fills">
        {fresh.count > 0 && (
          <Button kind="quiet" class="new-rows" icon="up" onClick={fresh.show}>
            {`${common().table.newRows(fresh.count)} · ${common().table.show}`}
          </Button>
        )}
        <Table
          label={w.table}
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          openKey={open ?? null}
          onOpen={({ id }) => address.set({ open: id }, { replace: open !== undefined })}
          isSelected={(id) => selection.rows.has(id)}
          onSelect={selection.set}
          isDim={({ status }) => !status}
          failed={transactionWords().loadFailed}
          empty={<NoRows isFiltered={isFiltered} onClear={() => address.set(cleared)} />}
        />
        <Foot
          sums={sums.data ?? null}
          known={{ count: rows.count(), isWhole: rows.isWhole() }}
          selection={selection}
          onChanged={() => {
            selection.clear();
            rows.refresh();
            sums.reload();
          }}
        />
      </div>
      {open !== undefined && <TransactionDrawer id={open} version={opened?.version ?? ''} onClose={close} />}
    </>
  );
}

const cleared = Object.fromEntries(Object.keys(SCHEMA).map((name) => [name, undefined]));

function NoRows({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  const w = pageWords();
  if (!isFiltered) return <Empty>{w.empty}</Empty>;
  return <Empty action={<Button onClick={onClear}>{w.clear}</Button>}>{w.none}</Empty>;
}
