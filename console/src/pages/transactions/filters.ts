import type { ListTransactionsQuery } from '../../../../sdk/src/index.ts';
import { day, flag, list, oneOf, text, type Values } from '../../address.ts';
import type { useNames } from '../../api/names.ts';
import { formatDay } from '../../format/dates.ts';
import type { FilterField } from '../../parts/filters.tsx';
import { transactionWords } from '../../parts/transaction/words.ts';
import { common } from '../../words/index.ts';
import { language } from '../../words/language.ts';
import { pageWords } from './words.ts';

const STATUSES = ['legacy', 'pending', 'processing', 'retry', 'completed', 'dead'] as const;
export const SORTS = ['-transactionDate', 'transactionDate', '-amount', 'amount'] as const;

const amount = {
  read: (given: string): string | undefined => (/^\d+([.,]\d+)?$/.test(given) ? given.replace(',', '.') : undefined),
  write: (value: string): string => value,
};

/** Every filter of the list, by the API's own names. */
const filters = {
  accountId: text,
  subAccountKey: text,
  bankCode: text,
  currency: text,
  incoming: flag,
  from: day,
  to: day,
  minAmount: amount,
  maxAmount: amount,
  q: text,
  iban: text,
  idNo: text,
  code: text,
  automationStatus: oneOf(STATUSES),
  assigned: flag,
  ruleId: text,
  referenceKey: text,
  tag: text,
  counterpartyKey: text,
  descriptionKey: text,
};

export const SCHEMA = { ...filters, sort: oneOf(SORTS), open: text, columns: list };

type Filter = Omit<ListTransactionsQuery, 'limit' | 'cursor' | 'sort' | 'asOf'>;

/** What the address says, as the API's query, without order and what is open. */
export function filterOf({ sort: _sort, open: _open, columns: _columns, ...filter }: Values<typeof SCHEMA>): Filter {
  return filter as Filter;
}

const CURRENCIES = ['EUR', 'GBP', 'TRY', 'USD'];

/** The chips; lists to choose from where the person may read what is chosen. */
export function filterFields(
  names: ReturnType<typeof useNames>,
  accountId: string | undefined,
): readonly FilterField[] {
  const w = { ...transactionWords(), ...pageWords() };
  const yesNo = common().filters;
  const { connections, rules } = names;
  const accounts = connections
    .filter(({ id }) => accountId === undefined || id === accountId)
    .flatMap(({ subAccounts }) => subAccounts);
  const currencies = new Set([
    ...accounts.map(({ currency }) => currency),
    ...(accounts.length === 0 ? CURRENCIES : []),
  ]);
  const showDay = (value: string): string => formatDay(language.value, value);
  const choiceOrText = (key: string, label: string, choices: { value: string; label: string }[]): FilterField =>
    choices.length === 0 ? { key, label, type: 'text' } : { key, label, type: 'choice', choices };
  return [
    choiceOrText(
      'accountId',
      w.connection,
      connections.map(({ id, title }) => ({ value: id, label: title })),
    ),
    choiceOrText(
      'subAccountKey',
      w.account,
      accounts.map(({ subAccountKey, accountName, iban, currency }) => ({
        value: subAccountKey,
        label: `${accountName ?? iban ?? subAccountKey} (${currency})`,
      })),
    ),
    choiceOrText(
      'currency',
      w.currency,
      [...currencies].sort().map((value) => ({ value, label: value })),
    ),
    {
      key: 'incoming',
      label: w.direction,
      type: 'choice',
      choices: [
        { value: 'true', label: w.incoming },
        { value: 'false', label: w.outgoing },
      ],
    },
    { key: 'from', label: w.from, type: 'day', show: showDay },
    { key: 'to', label: w.to, type: 'day', show: showDay },
    { key: 'minAmount', label: w.least, type: 'amount' },
    { key: 'maxAmount', label: w.most, type: 'amount' },
    {
      key: 'assigned',
      label: w.assigned,
      type: 'choice',
      choices: [
        { value: 'true', label: yesNo.yes },
        { value: 'false', label: yesNo.no },
      ],
    },
    {
      key: 'automationStatus',
      label: w.automation,
      type: 'choice',
      choices: STATUSES.map((value) => ({ value, label: w.automations[value] })),
    },
    choiceOrText(
      'ruleId',
      w.rule,
      rules.map(({ id, name }) => ({ value: id, label: name })),
    ),
    { key: 'referenceKey', label: w.reference, type: 'text' },
    { key: 'tag', label: w.tags, type: 'text' },
    { key: 'iban', label: w.iban, type: 'text' },
    { key: 'idNo', label: w.idNo, type: 'text' },
    { key: 'code', label: w.code, type: 'text' },
    { key: 'bankCode', label: w.bank, type: 'text' },
    { key: 'counterpartyKey', label: w.sameCounterparty, type: 'text' },
    { key: 'descriptionKey', label: w.likeDescription, type: 'text' },
  ];
}
