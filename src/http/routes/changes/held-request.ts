import { TenantBusy } from '../../../traffic/costly-requests.ts';
import type { HttpServices } from '../../core/http-services.ts';

/** A request that waits for changes of its tenant. */
export type HeldRequest = {
  /** Aborts when the request is released, the client is gone or the service stops. */
  readonly signal: AbortSignal;
  /** Resolves when the tenant's read models have changed since the last call, or the time is up, or it is over. */
  readonly changed: (timeoutMs: number) => Promise<void>;
  /** May be called more than once. */
  readonly release: () => void;
};

/** @throws TenantBusy when the tenant holds as many requests as it may */
export function holdRequest(
  { heldRequests, tenantChanges, stopping }: HttpServices,
  tenantId: string,
  client: AbortSignal,
): HeldRequest {
  const end = heldRequests.begin(tenantId);
  if (end === null) throw new TenantBusy();
  const watch = tenantChanges.watch(tenantId);
  const over = new AbortController();
  const release = (): void => {
    for (const signal of [client, stopping]) signal.removeEventListener('abort', release);
    watch.end();
    end();
    over.abort();
  };
  for (const signal of [client, stopping]) signal.addEventListener('abort', release, { once: true });
  if (client.aborted || stopping.aborted) release();
  return { signal: over.signal, changed: (timeoutMs) => watch.next(timeoutMs, over.signal), release };
}
