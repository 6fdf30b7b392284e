import { add } from '../../shared/money.ts';
import type { ProviderTransaction } from '../bank-provider.ts';
import type { DataStep } from './fault-script.ts';

export type PageRows = { readonly rows: readonly ProviderTransaction[]; readonly withdrawn: readonly string[] };

/** The page after a step of the script; depends on the page and the step alone. */
export function alterPage(step: DataStep, page: PageRows): PageRows {
  switch (step.do) {
    case 'reorder':
      return { ...page, rows: [...page.rows].reverse() };
    case 'send-twice':
      return { ...page, rows: page.rows.flatMap((row) => (hasId(row) ? [row, row] : [row])) };
    case 'blank-ids':
      return { ...page, rows: page.rows.map((row, index) => ({ ...row, providerId: index % 2 === 0 ? null : '' })) };
    case 'withdraw': {
      const ids = firstIds(page.rows, step.count);
      const gone = new Set(ids);
      return {
        rows: page.rows.filter(({ providerId }) => providerId === null || !gone.has(providerId)),
        withdrawn: [...page.withdrawn, ...ids],
      };
    }
    case 're-issue': {
      const changed = new Set(firstIds(page.rows, step.count));
      return {
        ...page,
        rows: page.rows.map((row) => (row.providerId !== null && changed.has(row.providerId) ? reissued(row) : row)),
      };
    }
    case 'repeat-page':
    case 'change-accounts':
      return page;
  }
}

/** Only rows with an id are repeated: one without an id could not be distinguished from a second, equal row. */
export function repeatable(rows: readonly ProviderTransaction[]): readonly ProviderTransaction[] {
  return rows.filter(hasId);
}

function firstIds(rows: readonly ProviderTransaction[], count: number): string[] {
  return rows
    .filter(hasId)
    .flatMap(({ providerId }) => providerId ?? [])
    .slice(0, count);
}

function hasId({ providerId }: ProviderTransaction): boolean {
  return providerId !== null && providerId.trim() !== '';
}

function reissued(row: ProviderTransaction): ProviderTransaction {
  return { ...row, amount: add(row.amount, '1'), description: `${row.description ?? ''} (düzeltme)` };
}
