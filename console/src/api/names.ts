import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BankConnection } from '../../../sdk/src/index.ts';
import { may, person } from '../session/session.ts';
import { api } from './client.ts';

/** Names beside ids, as far as the person may read them; an id without a name is shown as it is. */
type Names = {
  readonly connections: readonly BankConnection[];
  readonly rules: readonly { readonly id: string; readonly name: string }[];
};

const NONE: Names = { connections: [], rules: [] };
/** Of one page of each: a choice among more is no choice, and is typed instead. */
const MOST = 200;
const FRESH_MS = 60_000;

const names = signal<Names>(NONE);
let of: string | null = null;
let loadedAt = 0;

async function load(): Promise<void> {
  const [connections, rules] = await Promise.all([
    may('connections:read') ? api().listConnections({ limit: MOST }) : { items: [] },
    may('rules:read') ? api().listRules({ limit: MOST }) : { items: [] },
  ]);
  names.value = { connections: connections.items, rules: rules.items };
}

/** Loads them when a page needs them first, and anew after a minute. */
export function useNames(): Names {
  useEffect(() => {
    const id = person.value?.id ?? null;
    if (of === id && Date.now() - loadedAt < FRESH_MS) return;
    if (of !== id) names.value = NONE;
    of = id;
    loadedAt = Date.now();
    load().catch(() => {
      // Names are an addition; ids are shown without them, and the next page asks again.
      loadedAt = 0;
    });
  }, []);
  return names.value;
}

export function connectionName({ connections }: Names, id: string | null): string {
  return connections.find((one) => one.id === id)?.title ?? id ?? '';
}

/** Of an account of a connection: what the bank calls it, else the end of its IBAN, else its key. */
export function accountName({ connections }: Names, accountId: string | null, key: string | null): string {
  const account = connections
    .find((one) => one.id === accountId)
    ?.subAccounts.find(({ subAccountKey }) => subAccountKey === key);
  return account?.accountName ?? account?.iban ?? account?.accountNo ?? key ?? '';
}

export function ruleName({ rules }: Names, id: string | null): string {
  return rules.find((one) => one.id === id)?.name ?? id ?? '';
}
