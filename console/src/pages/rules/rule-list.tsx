import { useMemo } from 'preact/hooks';
import type { TransactionRule } from '../../../../sdk/src/index.ts';
import { flag, oneOf, text } from '../../address.ts';
import { api } from '../../api/client.ts';
import { useChanges } from '../../api/use-changes.ts';
import { asOf, atMoment, withMoment } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-column.ts';
import { tableRows } from '../../parts/table-rows.ts';
import { navigate, to } from '../../router.ts';
import { mayWrite, nameOfCompany, showsCompanies } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { common } from '../../words/index.ts';
import { RuleState } from './rule-state.tsx';
import { ruleWords } from './words.ts';

const SCHEMA = { q: text, status: oneOf(['active', 'paused']), archived: flag, tag: text, referenceKey: text };

export function RuleList() {
  const w = ruleWords();
  const address = useAddress(SCHEMA);
  const { archived = false, ...rest } = address.values;
  const query = JSON.stringify({ ...rest, archived, ...atMoment() });
  const client = api();
  const rows = useMemo(
    () =>
      tableRows<TransactionRule>((cursor, limit, signal) =>
        client.listRules({ ...JSON.parse(query), limit, ...(cursor === null ? {} : { cursor }) }, { signal }),
      ),
    [query, client],
  );
  useChanges(['rule'], () => rows.again());
  const columns: Column<TransactionRule>[] = [
    {
      key: 'name',
      title: w.name,
      width: 'minmax(160px, 2fr)',
      narrow: 'lead',
      cell: ({ name }) => <span class="clip">{name}</span>,
    },
    { key: 'status', title: w.status, width: '120px', narrow: 'figure', cell: (rule) => <RuleState rule={rule} /> },
    {
      key: 'reference',
      title: w.reference,
      width: 'minmax(140px, 2fr)',
      narrow: 'second',
      cell: ({ actions, referenceKey }) => <span class="clip">{actions[0]?.reference.label ?? referenceKey}</span>,
    },
    ...(showsCompanies.value
      ? [
          {
            key: 'company',
            title: common().frame.company,
            width: 'minmax(100px, 1fr)',
            cell: ({ companies }: TransactionRule) => <span class="clip">{nameOfCompany(companies)}</span>,
          },
        ]
      : []),
    {
      key: 'version',
      title: w.version,
      width: '80px',
      end: true,
      cell: ({ version }) => <span class="digits">{version}</span>,
    },
    { key: 'changed', title: w.changed, width: '170px', cell: ({ updatedAt }) => <Moment at={updatedAt} fresh /> },
  ];
  const yesNo = [
    { value: 'true', label: common().filters.yes },
    { value: 'false', label: common().filters.no },
  ];
  const fields = [
    {
      key: 'status',
      label: w.status,
      type: 'choice' as const,
      choices: (['active', 'paused'] as const).map((value) => ({ value, label: w.states[value] })),
    },
    { key: 'archived', label: w.archived, type: 'choice' as const, choices: yesNo },
    { key: 'tag', label: w.tags, type: 'text' as const },
    { key: 'referenceKey', label: w.reference, type: 'text' as const },
  ];
  const isFiltered = Object.keys(address.values).length > 0;
  const create = mayWrite('rules:write') && (
    <Button kind="primary" icon="add" onClick={() => navigate(to('rules', 'new'))}>
      {w.newRule}
    </Button>
  );
  return (
    <>
      <div class="tools">
        <Filters fields={fields} schema={SCHEMA} address={address} />
        <div class="right">
          <SearchField
            label={w.search}
            value={address.values.q ?? ''}
            onSearch={(q) => address.set({ q: q === '' ? undefined : q }, { replace: true })}
          />
          {create}
        </div>
      </div>
      <div class="fills">
        <Table
          key={asOf.value ?? ''}
          label={w.list}
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(withMoment(to('rules', id)))}
          empty={<Empty action={create}>{isFiltered ? w.emptyFiltered : w.empty}</Empty>}
          failed={w.failed}
          isDim={({ status }) => status === 'paused'}
        />
      </div>
    </>
  );
}
