import { checkCompleteness } from '../../src/deciders/completeness.ts';
import type { RecordedEvent } from '../../src/events/event.ts';
import { isKnown } from '../../src/events/registry.ts';

/**
 * Every figure of analytics, computed from all events one by one and nothing else: slow, simple, and independent of the
 * code it checks. Only the gaps are computed by the decider, which has tests of its own.
 */

type Row = Record<string, string | number | null>;

export type NaiveQuestion = {
  readonly from: string;
  readonly to: string;
  readonly interval: 'day' | 'week' | 'month';
  readonly timezone: string;
  readonly groupBy?: 'company' | 'account' | 'subAccount' | undefined;
  readonly accountIds?: readonly string[] | undefined;
  readonly currency?: string | undefined;
  readonly limit?: number | undefined;
  /** False for figures of the whole range, without an interval. */
  readonly byPeriod?: boolean | undefined;
};

type Statement = { toDay: string; fromDay: string; opening: string; closing: string; net: string };

type Life = {
  readonly companyId: string;
  readonly accountId: string;
  readonly subAccountKey: string;
  readonly bankCode: string;
  readonly currency: string;
  readonly transactionDate: string;
  readonly fetchedAt: string;
  readonly incoming: boolean;
  readonly amount: string;
  readonly balance: string;
  readonly counterparty: string;
  readonly iban: string;
  readonly idNo: string;
  withdrawn: boolean;
  automation: string;
  readonly active: Map<string, string>;
};

const PLACES = 5;

function units(text: string): bigint {
  const negative = text.startsWith('-');
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const all = BigInt(whole) * 10n ** BigInt(PLACES) + BigInt(fraction.padEnd(PLACES, '0'));
  return negative ? -all : all;
}

/** The number JSON shows for an exact amount. */
function shown(amount: bigint): number {
  const sign = amount < 0n ? '-' : '';
  const digits = String(amount)
    .replace('-', '')
    .padStart(PLACES + 1, '0');
  return Number(`${sign}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`);
}

const formats = new Map<string, Intl.DateTimeFormat>();

export function localDay(timezone: string, instant: string): string {
  const format = formats.get(timezone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  formats.set(timezone, format);
  return format.format(new Date(instant));
}

function period(day: string, interval: NaiveQuestion['interval']): string {
  if (interval === 'day') return day;
  if (interval === 'month') return `${day.slice(0, 8)}01`;
  const date = new Date(`${day}T12:00:00Z`);
  while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
  return date.toISOString().slice(0, 10);
}

function isAsked({ accountIds, currency }: NaiveQuestion, life: Life): boolean {
  if (accountIds !== undefined && !accountIds.includes(life.accountId)) return false;
  return currency === undefined || life.currency === currency;
}

function inOrder(rows: readonly Row[], by: readonly string[]): Row[] {
  return [...rows].sort((a, b) => {
    for (const name of by) {
      const difference = Buffer.compare(Buffer.from(String(a[name])), Buffer.from(String(b[name])));
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

const GROUPS = { company: ['companyId'], account: ['accountId'], subAccount: ['accountId', 'subAccountKey'] };

function groupOf({ groupBy }: NaiveQuestion): readonly string[] {
  return groupBy === undefined ? [] : GROUPS[groupBy];
}

function partsOf(group: readonly string[], life: Life): Row {
  return Object.fromEntries(group.map((name) => [name, String(life[name as keyof Life])]));
}

export function naiveAnalytics(events: readonly RecordedEvent[]) {
  const lives = new Map<string, Life>();
  const labels = new Map<string, string>();
  const ofCompany = new Map<string, string>();
  /** The newest name that a company set applies; setting the same name again is no change. */
  const rename = (referenceKey: string, companyId: string, label: string | null): void => {
    if (label === null || ofCompany.get(`${companyId} ${referenceKey}`) === label) return;
    ofCompany.set(`${companyId} ${referenceKey}`, label);
    labels.set(referenceKey, label);
  };
  const attached: { id: string; ruleId: string | null; at: string }[] = [];
  const revoked: { ruleId: string | null; at: string }[] = [];
  const syncs: { accountId: string; at: string; figures: Record<string, number> }[] = [];
  const statements = new Map<string, { toDay: string; span: Omit<Statement, 'toDay'> }[]>();
  const rules = new Map<string, { name: string; version: number }>();
  for (const event of events) {
    if (!isKnown(event)) continue;
    const life = lives.get(event.stream) as Life;
    switch (event.type) {
      case 'TransactionRecorded': {
        const { data } = event;
        lives.set(event.stream, {
          ...data,
          companyId: event.metadata.companyId ?? '',
          counterparty: (data.nameSurname ?? '').trim(),
          iban: (data.iban ?? '').replaceAll(' ', '').toUpperCase(),
          withdrawn: false,
          automation: data.automation,
          active: new Map(),
        });
        break;
      }
      case 'TransactionWithdrawn':
        life.withdrawn = true;
        break;
      case 'TransactionRelisted':
        life.withdrawn = false;
        break;
      case 'TransactionAutomationEvaluated':
        life.automation = 'completed';
        break;
      case 'TransactionAutomationFailed':
        life.automation = 'retry';
        break;
      case 'TransactionAutomationDied':
        life.automation = 'dead';
        break;
      case 'TransactionAutomationRetried':
        life.automation = 'pending';
        break;
      case 'TransactionAssignmentAttached':
        life.active.set(event.data.assignmentId, event.data.referenceKey);
        rename(event.data.referenceKey, event.metadata.companyId ?? '', event.data.reference.label);
        attached.push({ id: event.data.assignmentId, ruleId: event.data.ruleId, at: event.data.matchedAt });
        break;
      case 'TransactionAssignmentRevoked':
        life.active.delete(event.data.assignmentId);
        revoked.push({ ruleId: event.data.ruleId, at: event.data.revokedAt });
        break;
      case 'RuleCreated':
        rules.set(event.data.ruleId, { name: event.data.name, version: event.data.version });
        break;
      case 'SyncRequested':
        syncs.push({ accountId: event.data.accountId, at: event.data.requestedAt, figures: { syncs: 1 } });
        break;
      case 'SyncPageIngested': {
        const { accountId, ingestedAt: at, fetched, inserted, duplicates } = event.data;
        syncs.push({ accountId, at, figures: { fetched, inserted, duplicates } });
        const account = `${event.data.bankCode} ${event.data.subAccountKey}`;
        for (const { toDay, ...span } of event.data.statedBalances) {
          const known = statements.get(account) ?? [];
          if (!known.some((one) => one.toDay === toDay && JSON.stringify(one.span) === JSON.stringify(span))) {
            statements.set(account, [...known, { toDay, span }]);
          }
        }
        break;
      }
      case 'SyncAttemptFailed':
      case 'SyncFailed':
        syncs.push({ accountId: event.data.accountId, at: event.data.failedAt, figures: { errors: 1 } });
        break;
      default:
    }
  }
  const all = [...lives.values()];

  function live(asked: NaiveQuestion): Life[] {
    return all.filter((life) => !life.withdrawn && isAsked(asked, life));
  }
  const within = ({ from, to, timezone }: NaiveQuestion, instant: string): boolean => {
    const day = localDay(timezone, instant);
    return day >= from && day < to;
  };

  function grouped<T>(
    items: readonly T[],
    keyOf: (item: T) => Row,
    figuresOf: (items: readonly T[]) => Row,
    order: readonly string[],
  ): Row[] {
    const groups = Map.groupBy(items, (item) => JSON.stringify(keyOf(item)));
    return inOrder(
      [...groups].map(([key, some]) => ({ ...(JSON.parse(key) as Row), ...figuresOf(some) })),
      order,
    );
  }
  const sum = (some: readonly Life[]): bigint => some.reduce((total, { amount }) => total + units(amount), 0n);
  const flow = (some: readonly Life[]): Row => ({
    inflow: shown(sum(some.filter((life) => life.incoming))),
    outflow: shown(sum(some.filter((life) => !life.incoming))),
    count: some.length,
  });
  const net = (some: readonly Life[]): bigint =>
    sum(some.filter((life) => life.incoming)) - sum(some.filter((life) => !life.incoming));

  return {
    'cash-flow': (asked: NaiveQuestion): Row[] => {
      const group = groupOf(asked);
      return grouped(
        live(asked).filter((life) => within(asked, life.transactionDate)),
        (life) => ({
          period: period(localDay(asked.timezone, life.transactionDate), asked.interval),
          ...partsOf(group, life),
          currency: life.currency,
        }),
        (some) => ({ ...flow(some), net: shown(net(some)) }),
        ['period', ...group, 'currency'],
      );
    },
    'cash-flow-totals': (asked: NaiveQuestion): Row[] =>
      grouped(
        live(asked).filter((life) => within(asked, life.transactionDate)),
        ({ currency }) => ({ currency }),
        (some) => ({ ...flow(some), net: shown(net(some)) }),
        ['currency'],
      ),
    'assignment-coverage': (asked: NaiveQuestion): Row[] =>
      grouped(
        live(asked).filter((life) => within(asked, life.transactionDate)),
        (life) => ({
          period: period(localDay(asked.timezone, life.transactionDate), asked.interval),
          ...partsOf(groupOf(asked), life),
          currency: life.currency,
        }),
        (some) => {
          const assigned = some.filter((life) => life.active.size > 0);
          return {
            assignedCount: assigned.length,
            unassignedCount: some.length - assigned.length,
            assignedAmount: shown(sum(assigned)),
            unassignedAmount: shown(sum(some) - sum(assigned)),
          };
        },
        ['period', ...groupOf(asked), 'currency'],
      ),
    'top-counterparties': (asked: NaiveQuestion): Row[] => {
      const limit = asked.limit ?? 10;
      const groups = Map.groupBy(
        live(asked).filter((life) => within(asked, life.transactionDate)),
        ({ counterparty, iban, idNo, currency }) => JSON.stringify({ counterparty, iban, idNo, currency }),
      );
      const rows = [...groups].map(([key, some]) => ({ ...JSON.parse(key), volume: sum(some), ...flow(some) }));
      const order = ['currency', 'counterparty', 'iban', 'idNo'];
      const ofCurrency = Map.groupBy(inOrder(rows, order), (row) => row.currency as string);
      return [...ofCurrency.values()].flatMap((some) =>
        (some as unknown as (Row & { volume: bigint })[])
          .sort((a, b) => (a.volume === b.volume ? 0 : a.volume > b.volume ? -1 : 1))
          .slice(0, limit)
          .map(({ volume: _, ...row }) => row),
      );
    },
    'reference-totals': (asked: NaiveQuestion): Row[] =>
      grouped(
        live(asked)
          .filter((life) => within(asked, life.transactionDate))
          .flatMap((life) => [...new Set(life.active.values())].map((referenceKey) => ({ referenceKey, life }))),
        ({ referenceKey, life }) => ({
          ...(asked.byPeriod !== false
            ? { period: period(localDay(asked.timezone, life.transactionDate), asked.interval) }
            : {}),
          ...partsOf(groupOf(asked), life),
          referenceKey,
          label: labels.get(referenceKey) ?? null,
          currency: life.currency,
        }),
        (some) => flow(some.map(({ life }) => life)),
        [...(asked.byPeriod !== false ? ['period'] : []), ...groupOf(asked), 'referenceKey', 'currency'],
      ),
    'late-arrivals': (asked: NaiveQuestion): Row[] =>
      grouped(
        live(asked)
          .filter((life) => within(asked, life.fetchedAt))
          .filter((life) => localDay(asked.timezone, life.fetchedAt) > localDay(asked.timezone, life.transactionDate)),
        (life) => ({
          arrivedOn: localDay(asked.timezone, life.fetchedAt),
          transactionDay: localDay(asked.timezone, life.transactionDate),
          ...partsOf(groupOf(asked), life),
          currency: life.currency,
        }),
        flow,
        ['arrivedOn', 'transactionDay', ...groupOf(asked), 'currency'],
      ),
    'rule-performance': (asked: NaiveQuestion): Row[] => {
      const matched = attached.filter(({ ruleId, at }) => ruleId !== null && within(asked, at));
      const lost = revoked.filter(({ ruleId, at }) => ruleId !== null && within(asked, at));
      const ids = [...new Set([...matched, ...lost].map(({ ruleId }) => ruleId as string))].sort();
      return ids.map((ruleId) => {
        const mine = matched.filter((one) => one.ruleId === ruleId);
        const last = mine
          .map(({ at }) => at)
          .sort()
          .at(-1);
        return {
          ruleId,
          name: rules.get(ruleId)?.name ?? null,
          version: rules.get(ruleId)?.version ?? null,
          matched: mine.length,
          revoked: lost.filter((one) => one.ruleId === ruleId).length,
          lastMatchedAt: last ?? null,
        };
      });
    },
    'sync-activity': (asked: NaiveQuestion): Row[] =>
      grouped(
        syncs.filter(
          ({ accountId, at }) =>
            within(asked, at) && (asked.accountIds === undefined || asked.accountIds.includes(accountId)),
        ),
        ({ accountId, at }) => ({ period: period(localDay(asked.timezone, at), asked.interval), accountId }),
        (some) =>
          Object.fromEntries(
            ['syncs', 'fetched', 'inserted', 'duplicates', 'errors'].map((name) => [
              name,
              some.reduce((total, { figures }) => total + (figures[name] ?? 0), 0),
            ]),
          ),
        ['period', 'accountId'],
      ).filter((row) => Object.values(row).some((value) => typeof value === 'number' && value !== 0)),
    'automation-backlog': (): Row[] =>
      ['dead', 'retry', 'pending', 'legacy'].flatMap((status) => {
        const some = all.filter((life) => life.automation === status);
        const [oldestAt = null] = some.map(({ fetchedAt }) => fetchedAt).sort();
        return some.length === 0 ? [] : [{ status, count: some.length, oldestAt }];
      }),
    'completeness-gaps': (asked: NaiveQuestion): Row[] => {
      const sides = Map.groupBy(
        all.filter((life) => isAsked(asked, life)),
        ({ accountId, subAccountKey, bankCode }) => JSON.stringify([{ accountId, subAccountKey }, bankCode]),
      );
      const rows = [...sides].flatMap(([key, some]) => {
        const [side, bankCode] = JSON.parse(key) as [Row, string];
        const stated = statements.get(`${bankCode} ${side.subAccountKey}`) ?? [];
        const days = Map.groupBy(
          some.filter((life) => !life.withdrawn),
          (life) => life.transactionDate.slice(0, 10),
        );
        for (const { toDay } of stated) if (!days.has(toDay)) days.set(toDay, []);
        const walked = [...days.keys()].sort().map((day) => {
          const lived = days.get(day) ?? [];
          const steps: Record<string, number> = {};
          for (const one of lived) {
            const change = one.incoming ? units(one.amount) : -units(one.amount);
            const after = exact(units(one.balance));
            const before = exact(units(one.balance) - change);
            steps[after] = (steps[after] ?? 0) + 1;
            steps[before] = (steps[before] ?? 0) - 1;
          }
          const loose = Object.fromEntries(Object.entries(steps).filter(([, count]) => count !== 0));
          return {
            day,
            count: lived.length,
            net: exact(net(lived)),
            steps: loose,
            unstated: 0,
            stated: spansOf(stated, day),
          };
        });
        return checkCompleteness(walked).gaps.map((gap) => ({
          ...side,
          day: gap.day,
          expectedBalance: shown(units(gap.expectedBalance)),
          statedBalance: shown(units(gap.statedBalance)),
          difference: shown(units(gap.difference)),
        }));
      });
      return inOrder(
        rows.filter(({ day }) => day >= asked.from && day < asked.to),
        ['accountId', 'subAccountKey', 'day'],
      );
    },
    /** For accounts without missing or withdrawn rows, where the last row of a period states the balance. */
    'balance-history': (asked: NaiveQuestion): Row[] => {
      const days: string[] = [];
      for (
        const at = new Date(asked.from);
        at.toISOString().slice(0, 10) < asked.to;
        at.setUTCDate(at.getUTCDate() + 1)
      ) {
        days.push(at.toISOString().slice(0, 10));
      }
      const periods = [...new Set(days.map((day) => period(day, asked.interval)))];
      const lastDay = (one: string): string => days.findLast((day) => period(day, asked.interval) === one) ?? '';
      const sides = Map.groupBy(live(asked), ({ accountId, subAccountKey, currency }) =>
        JSON.stringify({ accountId, subAccountKey, currency }),
      );
      return inOrder(
        periods.flatMap((one) =>
          [...sides].flatMap(([key, some]) => {
            const last = some
              .filter((life) => localDay(asked.timezone, life.transactionDate) <= lastDay(one))
              .sort((a, b) => (a.transactionDate < b.transactionDate ? -1 : 1))
              .at(-1);
            if (last === undefined) return [];
            return [{ period: one, ...(JSON.parse(key) as Row), closingBalance: shown(units(last.balance)) }];
          }),
        ),
        ['period', 'accountId', 'subAccountKey'],
      );
    },
  };
}

function spansOf(stated: readonly { toDay: string; span: Omit<Statement, 'toDay'> }[], day: string) {
  return stated.filter(({ toDay }) => toDay === day).map(({ span }) => span);
}

function exact(amount: bigint): string {
  const digits = String(amount)
    .replace('-', '')
    .padStart(PLACES + 1, '0');
  const fraction = digits.slice(-PLACES).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -PLACES)}${fraction === '' ? '' : `.${fraction}`}`;
}

export type NaiveId = keyof ReturnType<typeof naiveAnalytics>;
