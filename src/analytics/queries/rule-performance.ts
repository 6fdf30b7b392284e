import { ruleMatches } from '../../projections/analytics/rule-matches.ts';
import { assignments } from '../../projections/assignments.ts';
import { ruleVersions } from '../../projections/rules.ts';
import { type Group, openGroups } from '../groups.ts';
import { type AnalyticsQuery, type Asked, column, type Row, wholeRange } from '../query.ts';
import { eventsSince, type Source } from '../source.ts';
import { eachPeriod } from '../sums-by-period.ts';

function figuresOf(group: Group): Row {
  return { matched: group.count('matched'), revoked: group.count('revoked') };
}

/** The first of them is the answer, unless it is newer than the position. */
const NEWEST_A_PAGE = 5;

/** Tells whether an assignment that the read model shows at a position was attached after that of the source. */
type AttachedLater = (assignmentId: string, shownAt: string) => Promise<boolean>;

/** Reads the log as far as the read model of assignments may have come at each question, since it keeps advancing. */
function openAttachedLater(source: Source): AttachedLater {
  const ids = new Set<string>();
  let readTo = source.position;
  return async (assignmentId, shownAt) => {
    if (shownAt > readTo) {
      const head = await source.log.head();
      const upTo = head > shownAt ? head : shownAt;
      for await (const { type, data } of eventsSince({ ...source, position: readTo }, upTo, ['bankTransaction'])) {
        if (type === 'TransactionAssignmentAttached') ids.add((data as { assignmentId: string }).assignmentId);
      }
      readTo = upTo;
    }
    return ids.has(assignmentId);
  };
}

async function lastMatchedAt(
  source: Source,
  ruleId: string,
  { calendar }: Asked,
  attachedLater: AttachedLater,
): Promise<string | null> {
  const [first, last] = [calendar.periods[0], calendar.periods.at(-1)];
  if (first === undefined || last === undefined) return null;
  const filter = [
    { field: 'ruleId', op: 'eq', value: ruleId },
    { field: 'createdAt', op: 'gte', value: new Date(first.startMs).toISOString() },
    { field: 'createdAt', op: 'lt', value: new Date(last.endMs).toISOString() },
  ] as const;
  const sort = [{ field: 'createdAt', direction: 'desc' }] as const;
  let after: readonly (string | number)[] | null | undefined;
  while (after !== null) {
    const page = await source.reader.page(assignments, { filter, sort, limit: NEWEST_A_PAGE, ...(after && { after }) });
    for (const { id, matchedAt, _position } of page.items) {
      if (_position <= source.position) return matchedAt;
      // Attached later, or attached before and changed later: only the log shows which.
      if (!(await attachedLater(id, _position))) return matchedAt;
    }
    after = page.after;
  }
  return null;
}

async function ruleAt(source: Source, ruleId: string): Promise<Row> {
  const filter = [
    { field: 'id', op: 'eq', value: ruleId },
    { field: 'fromPosition', op: 'lte', value: source.position },
  ] as const;
  const sort = [{ field: 'version', direction: 'desc' }] as const;
  const [then] = (await source.reader.page(ruleVersions, { filter, sort, limit: 1 })).items;
  return { name: then?.name ?? null, version: then?.version ?? null };
}

export const rulePerformance: AnalyticsQuery = {
  id: 'rule-performance',
  title: 'Rule performance',
  description:
    'How many assignments of each rule were attached and revoked, live and by runs, by the time of the change. ' +
    '`name` and `version` are those of the ' +
    "answer's position; `lastMatchedAt` is within `from` and `to`.",
  takes: ['from', 'to', 'timezone', 'asOf'],
  lacks: {
    interval: 'Each row is one rule over the whole range.',
    accountIds: 'Rules are counted over all accounts and currencies.',
    bankCodes: 'Rules are counted over all accounts and currencies.',
    currency: 'Rules are counted over all accounts and currencies.',
    groupBy: 'Each row is one rule.',
  },
  columns: () => [
    column.text('ruleId'),
    column.text('name'),
    column.count('version', 'version'),
    column.count('matched', 'assignments'),
    column.count('revoked', 'assignments'),
    column.moment('lastMatchedAt'),
  ],
  chart: 'table',
  reads: [ruleMatches.projection, assignments, ruleVersions],
  async answer(source, asked) {
    const rules = openGroups();
    await eachPeriod(source, ruleMatches, wholeRange(asked), ({ ruleId }, _, figures) => {
      rules.add([ruleId], figures);
    });
    const rows: Row[] = [];
    const attachedLater = openAttachedLater(source);
    for (const group of rules.all()) {
      const ruleId = group.parts[0] ?? '';
      const last = { lastMatchedAt: await lastMatchedAt(source, ruleId, asked, attachedLater) };
      rows.push({ ruleId, ...(await ruleAt(source, ruleId)), ...figuresOf(group), ...last });
    }
    return {
      rows,
      totals: rules
        .by(() => [])
        .all()
        .map(figuresOf),
    };
  },
};
