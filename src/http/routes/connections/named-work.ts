/** The headers that name a sync or setup that was asked for, and say how far it is. */
export function namedWork(accountId: string, work: { readonly id: string; readonly status: string }) {
  return {
    location: `/banks/accounts/${accountId}/syncs/${work.id}`,
    'x-sync-id': work.id,
    'x-sync-status': work.status,
  };
}
