import { type Decimal, decimal, decimalOf, isExactAsNumber } from '../../shared/money.ts';

/** An amount as the value of a condition, which is how it is stored. */
export function numberOf(amount: Decimal): number | Decimal {
  return isExactAsNumber(amount) ? Number(amount) : amount;
}

/** @throws MoneyError for a value that is no amount */
export function amountOf(value: number | Decimal): Decimal {
  return typeof value === 'number' ? decimalOf(value) : decimal(value);
}

/** The fields of a bank transaction that conditions can use. Text is as the bank sent it; `idNo` is "" when unknown. */
export type ConditionSubject = {
  readonly bankCode: string | null;
  readonly accountId: string | null;
  readonly subAccountKey: string | null;
  readonly iban: string | null;
  readonly nameSurname: string | null;
  readonly idNo: string | null;
  readonly description: string | null;
  readonly code: string | null;
  readonly currency: string | null;
  readonly amount: Decimal | null;
  readonly balance: Decimal | null;
  readonly incoming: boolean;
  readonly findAI: boolean;
  /** ISO 8601 UTC. */
  readonly transactionDate: string | null;
};

export const CONDITION_LIMITS = {
  /** Levels of nested groups, including the root. */
  levels: 3,
  conditions: 50,
  rootChildren: 2,
  groupChildren: 20,
  /** UTF-16 units of a text value or pattern. */
  textLength: 500,
  listLength: 100,
  /**
   * Instructions of a compiled RE2 program: enough for a plain text of 500 characters, too few for nested counted
   * repetition.
   */
  patternInstructions: 1_000,
} as const;

export function isOneOf<T extends string>(list: readonly T[], value: unknown): value is T {
  return list.some((one) => one === value);
}
