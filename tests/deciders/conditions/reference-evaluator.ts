import type { ConditionSubject } from '../../../src/deciders/conditions/condition.ts';
import type { Condition, ConditionGroup } from '../../../src/events/conditions.ts';
import { foldText } from '../../../src/shared/text-folding.ts';

/**
 * The condition language once more, written plainly from the contract and without the code under test (patterns left
 * out).
 */
export function naively(node: Condition | ConditionGroup, subject: ConditionSubject): boolean {
  if ('children' in node) {
    const holding = node.children.filter((child) => naively(child, subject)).length;
    if (node.combinator === 'all') return holding === node.children.length;
    if (node.combinator === 'any') return holding > 0;
    return holding === 0;
  }
  const seen = subject[node.field];
  if (typeof seen === 'boolean') return seen === node.value;
  if (node.field === 'transactionDate') return onDate(node, seen);
  if (node.field === 'amount' || node.field === 'balance') return onNumber(node, seen);
  return onText(node, seen);
}

function onText({ operator, value }: Condition, seen: string | null): boolean {
  const text = seen === null ? null : foldText(seen);
  const wanted = [value].flat().map((item) => foldText(String(item)));
  const first = wanted[0] ?? '';
  switch (operator) {
    case 'equals':
      return text !== null && text === first;
    case 'not_equals':
      return text === null || text !== first;
    case 'in':
      return text !== null && wanted.includes(text);
    case 'not_in':
      return text === null || !wanted.includes(text);
    case 'contains':
      return text !== null && text.indexOf(first) >= 0;
    case 'not_contains':
      return text === null || text.indexOf(first) < 0;
    case 'starts_with':
      return text !== null && text.indexOf(first) === 0;
    case 'ends_with':
      return text !== null && text.length >= first.length && text.slice(text.length - first.length) === first;
    case 'is_empty':
      return text === null || text === '';
    case 'is_not_empty':
      return text !== null && text !== '';
    default:
      throw new Error(`not covered: ${operator}`);
  }
}

/** Generated amounts are whole or half, so floating point is exact here. */
function onNumber({ operator, value }: Condition, seen: string | null): boolean {
  if (seen === null) return operator === 'not_equals';
  const number = Number(seen);
  const [first = Number.NaN, second = Number.NaN] = [value].flat().map(Number);
  switch (operator) {
    case 'equals':
      return number === first;
    case 'not_equals':
      return number !== first;
    case 'greater_than':
      return number > first;
    case 'at_least':
      return number >= first;
    case 'less_than':
      return number < first;
    case 'at_most':
      return number <= first;
    default:
      return number >= first && number <= second;
  }
}

/** ISO texts in UTC sort as the moments do; generated conditions name whole days. */
function onDate({ operator, value }: Condition, seen: string | null): boolean {
  if (seen === null) return false;
  const day = seen.slice(0, 10);
  const [first = '', second = ''] = [value].flat().map(String);
  switch (operator) {
    case 'before':
      return day < first;
    case 'after':
      return day > first;
    case 'between':
      return day >= first && day < second;
    default:
      return [value]
        .flat()
        .map(Number)
        .includes(Number(day.slice(8)));
  }
}
