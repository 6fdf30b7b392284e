/**
 * Conditions evaluated the plain way, from the contract's words and apart from the service's own code, over
 * transactions as the API shows them: what the compiled and indexed conditions are held against.
 */
export type PlainTransaction = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly transactionDate: string;
};
export type PlainCondition = { readonly field: string; readonly operator: string; readonly value?: unknown };
export type PlainGroup = {
  readonly combinator: 'all' | 'any' | 'none';
  readonly children: readonly (PlainCondition | PlainGroup)[];
};

/** NFKC, white space folded, case folded so that İ, I, ı and i agree. */
function plainFold(text: string): string {
  return [...text.normalize('NFKC')]
    .map((letter) => ('İIıi'.includes(letter) ? 'i' : letter.toLocaleLowerCase('en')))
    .join('')
    .normalize('NFKC')
    .trim()
    .split(/\s+/u)
    .join(' ');
}

export function holds(transaction: PlainTransaction, node: PlainCondition | PlainGroup): boolean {
  if ('children' in node) {
    const each = node.children.map((child) => holds(transaction, child));
    if (node.combinator === 'all') return each.every(Boolean);
    return node.combinator === 'any' ? each.some(Boolean) : !each.some(Boolean);
  }
  const seen = transaction[node.field];
  const { operator, value } = node;
  if (seen === null || seen === undefined) return operator.startsWith('not_') || operator === 'is_empty';
  if (node.field === 'transactionDate') return dateHolds(String(seen), operator, value);
  if (typeof seen === 'number') return numberHolds(seen, operator, value);
  if (typeof seen === 'boolean') return seen === value;
  return textHolds(plainFold(String(seen)), operator, value);
}

function textHolds(seen: string, operator: string, value: unknown): boolean {
  const texts = (Array.isArray(value) ? value : [value]).map((one) => plainFold(String(one ?? '')));
  const [text = ''] = texts;
  switch (operator) {
    case 'equals':
    case 'in':
      return texts.includes(seen);
    case 'not_equals':
    case 'not_in':
      return !texts.includes(seen);
    case 'contains':
      return seen.includes(text);
    case 'not_contains':
      return !seen.includes(text);
    case 'starts_with':
      return seen.startsWith(text);
    case 'ends_with':
      return seen.endsWith(text);
    case 'is_empty':
      return seen === '';
    case 'is_not_empty':
      return seen !== '';
    default:
      throw new Error(`no plain ${operator}`);
  }
}

function numberHolds(seen: number, operator: string, value: unknown): boolean {
  const [one = Number.NaN, other = Number.NaN] = (Array.isArray(value) ? value : [value]) as number[];
  switch (operator) {
    case 'equals':
      return seen === one;
    case 'not_equals':
      return seen !== one;
    case 'greater_than':
      return seen > one;
    case 'at_least':
      return seen >= one;
    case 'less_than':
      return seen < one;
    case 'at_most':
      return seen <= one;
    case 'between':
      return seen >= one && seen <= other;
    default:
      throw new Error(`no plain ${operator}`);
  }
}

function dateHolds(seen: string, operator: string, value: unknown): boolean {
  const at = Date.parse(seen);
  const moments = (Array.isArray(value) ? value : [value]) as (string | number)[];
  switch (operator) {
    case 'before':
      return at < Date.parse(String(moments[0]));
    case 'after':
      return at > Date.parse(String(moments[0]));
    case 'between':
      return at >= Date.parse(String(moments[0])) && at < Date.parse(String(moments[1]));
    case 'day_of_month':
      return moments.includes(new Date(at).getUTCDate());
    default:
      throw new Error(`no plain ${operator}`);
  }
}
