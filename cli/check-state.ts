import { secretId } from '../src/identity/api-keys.ts';
import { openSecrets } from '../src/identity/secrets.ts';
import type { EventLog } from '../src/log/log.ts';
import { type ApiKeyDocument, apiKeys } from '../src/projections/api-keys.ts';
import { type ConnectionDocument, connections } from '../src/projections/connections.ts';
import { rebuildProjection } from '../src/projections/engine/rebuild.ts';
import type { RunnableProjection } from '../src/projections/engine/runnable.ts';
import { type UserDocument, users } from '../src/projections/users.ts';
import { type WebhookDocument, webhooks } from '../src/projections/webhooks.ts';
import { openVault, VaultError } from '../src/providers/vault.ts';
import type { Document, ReadStore } from '../src/readstore/read-store.ts';
import { type Clock, isoTime } from '../src/shared/clock.ts';
import { openSigningSecrets } from '../src/webhooks/signing-secrets.ts';

export type StateCheck = {
  readonly keys: number;
  readonly users: number;
  readonly credentials: number;
  readonly webhooks: number;
  readonly faults: readonly string[];
};

/**
 * Whether everything that the log refers to is in the state: the secret of each API key, the password of each user, and
 * what the encryption key must open: the credentials of each connection and the signing secrets of each webhook.
 */
export async function checkState(options: {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  /** Empty; what the log says is folded into it. */
  readonly spare: ReadStore;
  readonly tokenKey: Buffer;
  readonly encryptionKey: Buffer;
  readonly clock: Clock;
}): Promise<StateCheck> {
  const { log, readStore, spare, tokenKey, encryptionKey, clock } = options;
  const secrets = await openSecrets(readStore, tokenKey);
  const vault = await openVault({ readStore, key: encryptionKey, clock });
  const signing = openSigningSecrets(vault, clock);
  const faults: string[] = [];
  const counts = { keys: 0, users: 0, credentials: 0, webhooks: 0 };

  async function* folded<D extends Document>(projection: RunnableProjection): AsyncIterable<D> {
    const { collection } = await rebuildProjection({ log, readStore: spare, projection });
    yield* spare.collection<D>(collection).iterate({ filter: [], sort: [] });
  }

  const now = isoTime(clock.now());
  for await (const { id, name, tenantId, generation, revokedAt, expiresAt } of folded<ApiKeyDocument>(apiKeys)) {
    if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) continue;
    counts.keys += 1;
    if (await secrets.knows(secretId(id, generation))) continue;
    faults.push(`API key ${id} (${name}) of tenant ${tenantId} has no secret: revoke it and create another`);
  }
  for await (const { id, email, tenantId, status, outsideLogin } of folded<UserDocument>(users)) {
    if (status !== 'active' || outsideLogin !== 'none') continue;
    counts.users += 1;
    if (await secrets.knows(id)) continue;
    faults.push(`user ${email} of tenant ${tenantId} has no password: an admin sets one, or bank admin reset`);
  }
  for await (const { id, title, tenantId, credentials } of folded<ConnectionDocument>(connections)) {
    if (credentials === null) continue;
    counts.credentials += 1;
    const fault = await vault.get(tenantId, id).then(
      (kept) => {
        if (kept === undefined) return 'has no credentials';
        return kept.fingerprint === credentials.fingerprint ? null : 'has other credentials than the log says';
      },
      (error: unknown) => {
        if (error instanceof VaultError) return 'has credentials that the encryption key does not open';
        throw error;
      },
    );
    if (fault !== null) faults.push(`connection ${id} (${title}) of tenant ${tenantId} ${fault}: enter them again`);
  }
  for await (const { id, url, tenantId, status } of folded<WebhookDocument>(webhooks)) {
    if (status === 'archived') continue;
    counts.webhooks += 1;
    const fault = await signing.valid(tenantId, id).then(
      (valid) => (valid.length === 0 ? 'has no secret' : null),
      (error: unknown) => {
        if (error instanceof VaultError) return 'has a secret that the encryption key does not open';
        throw error;
      },
    );
    if (fault !== null) faults.push(`webhook ${id} (${url}) of tenant ${tenantId} ${fault}: rotate its secret`);
  }
  return { ...counts, faults };
}
