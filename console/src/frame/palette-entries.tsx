import type { ComponentChildren } from 'preact';
import { api } from '../api/client.ts';
import { signedAmount } from '../format/decimal.ts';
import { pages } from '../pages.ts';
import type { IconName } from '../parts/icon.tsx';
import { Day } from '../parts/moment.tsx';
import { Money } from '../parts/money.tsx';
import { to } from '../router.ts';
import { may, signOut } from '../session/session.ts';
import { common } from '../words/index.ts';
import { atMoment, withMoment } from './as-of-moment.ts';

export type PaletteEntry = {
  readonly key: string;
  readonly label: string;
  readonly icon: IconName;
  readonly note?: ComponentChildren;
  readonly href?: string;
  readonly run?: () => void;
};

const MOST_OF_A_KIND = 4;

/** Pages and actions, which need no call. */
export function fixedEntries({ onKeys }: { readonly onKeys: () => void }): PaletteEntry[] {
  const w = common();
  return [
    ...pages
      .filter(({ icon, needs }) => icon !== null && needs.every(may))
      .map(({ path, icon, heading }) => ({
        key: `page ${path}`,
        label: heading(w),
        icon: icon ?? 'right',
        href: withMoment(to(path)),
      })),
    { key: 'profile', label: w.pages.profile, icon: 'person', href: withMoment(to('profile')) },
    { key: 'keys', label: w.frame.keys, icon: 'rules' as const, run: onKeys },
    { key: 'sign out', label: w.frame.signOut, icon: 'person' as const, run: () => void signOut() },
  ];
}

export type Found = {
  readonly entries: readonly PaletteEntry[];
  /** Whether some kind of thing could not be searched. */
  readonly isPart: boolean;
};

/**
 * What the service finds for the text: it searches there, not in what happens to be loaded. A kind that is refused or
 * fails takes nothing from the others.
 */
export async function foundEntries(text: string, signal: AbortSignal): Promise<Found> {
  const found = await Promise.allSettled([
    transactionOf(text, signal),
    may('transactions:read') ? transactionsLike(text, signal) : [],
    may('rules:read') ? rulesLike(text, signal) : [],
    may('connections:read') ? connectionsLike(text, signal) : [],
  ]);
  const search = `${to('transactions')}?q=${encodeURIComponent(text)}`;
  const entries = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const isPart = found.some(({ status }) => status === 'rejected');
  if (!may('transactions:read')) return { entries, isPart };
  const further = {
    key: 'search',
    label: common().frame.search(text),
    icon: 'search',
    href: withMoment(search),
  } as const;
  return { entries: [...entries, further], isPart };
}

type Row = { id: string; amount: number; incoming: boolean; currency: string | null; transactionDate: string | null };
type Named = Row & { nameSurname: string | null; description: string | null };

function transactionEntry(row: Named): PaletteEntry {
  const { id, currency, transactionDate, nameSurname, description } = row;
  return {
    key: `transaction ${id}`,
    label: nameSurname || description || id,
    icon: 'transactions',
    href: withMoment(`${to('transactions')}?open=${encodeURIComponent(id)}`),
    note: (
      <span class="row small">
        <Day on={transactionDate} />
        <Money amount={signedAmount(row)} currency={currency} as="flow" />
      </span>
    ),
  };
}

async function transactionOf(text: string, signal: AbortSignal): Promise<PaletteEntry[]> {
  if (!/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text)) return [];
  try {
    return [transactionEntry(await api().getTransaction(text, atMoment(), { signal }))];
  } catch {
    return [];
  }
}

async function transactionsLike(text: string, signal: AbortSignal): Promise<PaletteEntry[]> {
  const amount = /^\d+([.,]\d+)?$/.test(text) ? text.replace(',', '.') : null;
  const query = amount === null ? { q: text } : { minAmount: amount, maxAmount: amount };
  const { items } = await api().listTransactions({ ...query, ...atMoment(), limit: MOST_OF_A_KIND }, { signal });
  return items.map(transactionEntry);
}

async function rulesLike(q: string, signal: AbortSignal): Promise<PaletteEntry[]> {
  if (!pages.some(({ path }) => path === 'rules')) return [];
  const { items } = await api().listRules({ q, ...atMoment(), limit: MOST_OF_A_KIND }, { signal });
  return items.map(({ id, name }) => ({
    key: `rule ${id}`,
    label: name,
    icon: 'rules',
    href: withMoment(to('rules', id)),
  }));
}

async function connectionsLike(text: string, signal: AbortSignal): Promise<PaletteEntry[]> {
  const needle = text.toLocaleLowerCase();
  const { items } = await api().listConnections({ limit: 200 }, { signal });
  return items
    .filter(({ title }) => title.toLocaleLowerCase().includes(needle))
    .slice(0, MOST_OF_A_KIND)
    .map(({ id, title }) => ({
      key: `account ${id}`,
      label: title,
      icon: 'connections',
      href: withMoment(`${to('transactions')}?accountId=${encodeURIComponent(id)}`),
    }));
}
