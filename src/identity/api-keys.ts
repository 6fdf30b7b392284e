import { addApiKey, revokeApiKey, rotateApiKey } from '../commands/change-api-key.ts';
import type { CommandContext } from '../commands/command.ts';
import type { EventData } from '../events/registry.ts';
import type { Scope } from '../events/tenancy.ts';
import { newPublicKey, newSecret, type Secrets } from './secrets.ts';

/** The id under which the hash of a key's secret of that generation is kept. */
export function secretId(apiKeyId: string, generation: number): string {
  return generation === 1 ? apiKeyId : `${apiKeyId}/${generation}`;
}

/** The public half and the secret of a new key. */
export function newApiKey(): { readonly key: string; readonly secret: string } {
  return { key: newPublicKey('bck_'), secret: newSecret('bcs_') };
}

type Done = ReturnType<typeof addApiKey>;
/** The only time the secret is available: only its hash is kept. */
type Made = Promise<{ readonly outcome: Awaited<Done>; readonly secret: string }>;

export type ApiKeyRequest = {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly companies: readonly string[] | null;
  readonly expiresAt: string | null;
};

export type ApiKeys = {
  readonly create: (context: CommandContext, request: ApiKeyRequest) => Made;
  /** The previous secret remains valid for `graceMs`. */
  readonly rotate: (context: CommandContext, apiKeyId: string, graceMs: number) => Made;
  readonly revoke: (context: CommandContext, apiKeyId: string, reason: string | null) => Done;
};

export function createApiKeys(secrets: Secrets): ApiKeys {
  return {
    async create(context, request) {
      const apiKeyId = context.newId();
      const { key, secret } = newApiKey();
      // The hash first: a crash in between leaves a hash without a key, and never a key without a secret.
      await secrets.keepApiSecret(secretId(apiKeyId, 1), secret);
      const scopes: EventData<'ApiKeyCreated'>['scopes'] = [...request.scopes];
      const companies = request.companies === null ? null : [...request.companies];
      const { name, expiresAt } = request;
      return { outcome: await addApiKey(context, { apiKeyId, key, name, scopes, companies, expiresAt }), secret };
    },
    async rotate(context, apiKeyId, graceMs) {
      const outcome = await rotateApiKey(context, apiKeyId, graceMs);
      const secret = newSecret('bcs_');
      // The event first: of two rotations at once each has its own generation only after the append. A caller cut off
      // in between has not seen the secret and rotates again.
      const rotated = outcome.accepted ? outcome.appended.at(-1) : undefined;
      if (rotated !== undefined) {
        const { generation } = rotated.data as EventData<'ApiKeyRotated'>;
        await secrets.keepApiSecret(secretId(apiKeyId, generation), secret);
      }
      return { outcome, secret };
    },
    revoke: revokeApiKey,
  };
}
