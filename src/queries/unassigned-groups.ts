import { type TransactionDocument, transactions } from '../projections/transactions.ts';
import {
  type GroupedBy,
  type GroupIdentity,
  groupsOf,
  MOST_SAMPLES,
  type UnassignedGroupDocument,
  unassignedGroups,
} from '../projections/unassigned-groups.ts';
import { compareKeysets } from '../readstore/matching.ts';
import { keysetOf } from '../readstore/ordering.ts';
import type { Filter, Sort } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { type Decimal, fromUnits, toUnits } from '../shared/money.ts';
import type { Page, Reader } from './reader.ts';

export type UnassignedGroup = GroupIdentity & {
  readonly companyId: string;
  readonly count: number;
  /** By currency, in alphabetical order. */
  readonly sums: readonly { readonly currency: string; readonly in: Decimal; readonly out: Decimal }[];
  readonly sampleIds: readonly string[];
};

export const GROUP_SORTS = ['-count', 'name'] as const;
export type GroupSort = (typeof GROUP_SORTS)[number];

const SORTS: Readonly<Record<GroupSort, Sort>> = {
  '-count': [{ field: 'count', direction: 'desc' }],
  name: [{ field: 'name', direction: 'asc' }],
};

type Asked = {
  readonly by: GroupedBy;
  readonly sort: GroupSort;
  readonly limit: number;
  readonly after?: readonly (string | number)[];
};

/** Whether the read model knows of every change to the groups that the reader may see. */
export async function groupsAreExact(reader: Reader): Promise<boolean> {
  const unknown = { filter: [{ field: 'by', op: 'eq', value: 'unknown' }], sort: [], limit: 1 } as const;
  return (await reader.page(unassignedGroups, unknown)).items.length === 0;
}

/** A page of all groups, from the read model: its cost depends on the page alone. */
export async function pageOfGroups(reader: Reader, { by, sort, limit, after }: Asked): Promise<Page<UnassignedGroup>> {
  const page = await reader.page(unassignedGroups, {
    filter: notEmpty(by),
    sort: SORTS[sort],
    limit,
    ...(after && { after }),
  });
  const items = page.items.map((document) => shown(document, by));
  return { items: await Promise.all(items.map((group) => withSamples(reader, group))), after: page.after };
}

/** Exact up to `most`. */
export function countGroups(reader: Reader, by: GroupedBy, most: number): Promise<number> {
  return reader.count(unassignedGroups, notEmpty(by), most);
}

function notEmpty(by: GroupedBy): Filter {
  return [
    { field: 'by', op: 'eq', value: by },
    { field: 'count', op: 'gt', value: 0 },
  ];
}

/** The read model keeps the last rows that were added; when all of these were assigned, others are looked up. */
async function withSamples(reader: Reader, group: UnassignedGroup): Promise<UnassignedGroup> {
  if (group.sampleIds.length > 0) return group;
  const { by, key, companyId } = group;
  const { items } = await reader.page(transactions, {
    filter: [
      { field: `${by}Key`, op: 'eq', value: key },
      { field: 'assigned', op: 'eq', value: false },
      { field: 'companyId', op: 'eq', value: companyId },
      { field: 'status', op: 'eq', value: true },
    ],
    sort: [{ field: 'transactionDate', direction: 'desc' }],
    limit: MOST_SAMPLES,
  });
  return { ...group, sampleIds: items.map(({ id }) => id) };
}

function shown({ key, name, iban, idNo, companyId, count, sums, sampleIds }: UnassignedGroupDocument, by: GroupedBy) {
  return {
    ...{ by, key, name, iban, idNo, companyId, count, sampleIds },
    sums: Object.entries(sums)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([currency, { inflow = '0', outflow = '0' }]) => ({
        currency,
        in: String(inflow),
        out: String(outflow),
      })),
  };
}

type Gathered = GroupIdentity & {
  readonly _id: string;
  readonly companyId: string;
  count: number;
  readonly units: Map<string, { in: bigint; out: bigint }>;
  readonly sampleIds: string[];
};

/** The rows that are grouped one by one where a filter narrows them. */
export const MOST_ROWS_GROUPED = 10_000;

/**
 * A page of the groups of the first {@link MOST_ROWS_GROUPED} rows, which have no assignment; those that the bank
 * withdrew do not count. `atLeast`: there are more rows.
 */
export async function pageOfGathered(
  rows: AsyncIterable<TransactionDocument>,
  asked: Asked,
): Promise<Page<UnassignedGroup> & { readonly atLeast: boolean; readonly groups: number }> {
  const { by, limit, after } = asked;
  const sort = SORTS[asked.sort];
  const { groups, atLeast } = await gathered(rows, by);
  const keyOf = keysetOf(sort);
  const compare = compareKeysets(sort);
  const keyed = groups
    .map((group) => ({ group, key: keyOf({ ...group, _position: '' } as never) }))
    .filter(({ key }) => after === undefined || compare(key, after) > 0)
    .sort((one, other) => compare(one.key, other.key));
  const items = keyed.slice(0, limit);
  const next = keyed.length > limit ? (items.at(-1)?.key ?? null) : null;
  const shown = items.map(({ group }) => withSums(group));
  return { items: shown, after: next === null ? null : [...next], atLeast, groups: groups.length };
}

async function gathered(rows: AsyncIterable<TransactionDocument>, by: GroupedBy) {
  const groups = new Map<string, Gathered>();
  let seen = 0;
  for await (const row of rows) {
    seen += 1;
    if (seen > MOST_ROWS_GROUPED) return { groups: [...groups.values()], atLeast: true };
    const identity = row.status ? groupsOf(row).find((one) => one.by === by) : undefined;
    if (identity === undefined) continue;
    const _id = documentId(row.tenantId, row.companyId, by, identity.key);
    const { companyId, currency, incoming, amount } = row;
    const group: Gathered = groups.get(_id) ?? {
      _id,
      ...identity,
      companyId,
      count: 0,
      units: new Map(),
      sampleIds: [],
    };
    groups.set(_id, group);
    const sum = group.units.get(currency) ?? { in: 0n, out: 0n };
    group.units.set(currency, sum);
    sum[incoming ? 'in' : 'out'] += toUnits(amount);
    group.count += 1;
    if (group.sampleIds.length < MOST_SAMPLES) group.sampleIds.push(row.id);
  }
  return { groups: [...groups.values()], atLeast: false };
}

function withSums({ _id, units, ...group }: Gathered): UnassignedGroup {
  const sums = [...units]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, sum]) => ({ currency, in: fromUnits(sum.in), out: fromUnits(sum.out) }));
  return { ...group, sums };
}
