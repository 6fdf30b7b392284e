import type {
  BankProvider,
  Exchange,
  ProviderAccount,
  ProviderPage,
  ProviderSession,
  ProviderTransaction,
} from '../../src/providers/bank-provider.ts';

export const NOW_MS = Date.parse('2025-06-15T12:00:00.000Z');

export function sessionOf(
  credentials: Readonly<Record<string, unknown>>,
  over: Partial<ProviderSession> = {},
): ProviderSession & { requests: () => number; exchanges: readonly Exchange[] } {
  let requests = 0;
  const exchanges: Exchange[] = [];
  return {
    tenantId: 'tenant-a',
    companyId: 'company-a',
    connectionId: 'connection-a',
    environment: 'demo',
    credentials,
    nowMs: NOW_MS,
    signal: new AbortController().signal,
    countRequest: () => {
      requests += 1;
    },
    exchanged: (exchange) => exchanges.push(exchange),
    ...over,
    requests: () => requests,
    exchanges,
  };
}

export type Window = { readonly fromDay: string; readonly toDay: string };

/** Every page of a window, in order, as they are while nothing is recorded. */
export async function pagesOf(
  provider: BankProvider,
  session: ProviderSession,
  account: ProviderAccount,
  window: Window,
): Promise<ProviderPage[]> {
  const pages: ProviderPage[] = [];
  let cursor: string | null = null;
  do {
    const { recorded: _, ...page } = await provider.fetchPage(session, { account, ...window, cursor });
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

export function rowsOf(pages: readonly ProviderPage[]): ProviderTransaction[] {
  return pages.flatMap(({ listings }) => listings.flatMap(({ rows }) => rows));
}

export async function accountsOf(provider: BankProvider, session: ProviderSession): Promise<ProviderAccount[]> {
  return (await provider.discoverAccounts(session)).accounts;
}

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('nothing there');
  return value;
}

/** Folders of statements that no other tenant has named. */
export const unclaimed = { owns: async () => true, needsGrant: async () => false };
