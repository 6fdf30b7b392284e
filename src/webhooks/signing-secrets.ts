import { type Vault, VaultError } from '../providers/vault.ts';
import { type Clock, isoTime } from '../shared/clock.ts';
import { newSigningSecret } from './signature.ts';

type Kept = { readonly secret: string /** Null: the newest one. */; readonly until: string | null };

/** The secrets of webhooks, kept in the vault as bank credentials are. */
export type SigningSecrets = {
  /** Makes the first secret, or a first one again. */
  readonly create: (tenantId: string, webhookId: string) => Promise<string>;
  /**
   * Makes a new secret; the one before stays valid until the moment. Those that cannot be read any more sign nothing
   * and are replaced. @throws VaultError
   */
  readonly rotate: (tenantId: string, webhookId: string, previousUntil: string) => Promise<string>;
  /** Those in force, the newest first; none when they were destroyed. @throws VaultError */
  readonly valid: (tenantId: string, webhookId: string) => Promise<readonly string[]>;
  readonly destroy: (tenantId: string, webhookId: string) => Promise<void>;
};

/** Most secrets in force at once: rotated again within the time of grace, the oldest no longer signs. */
const MOST = 3;

export function openSigningSecrets(vault: Vault, clock: Clock): SigningSecrets {
  const idOf = (webhookId: string): string => `webhook.${webhookId}`;
  async function kept(tenantId: string, webhookId: string): Promise<readonly Kept[]> {
    const content = await vault.get(tenantId, idOf(webhookId));
    return (content?.fields.secrets ?? []) as readonly Kept[];
  }
  async function put(tenantId: string, webhookId: string, secrets: readonly Kept[]): Promise<void> {
    await vault.put(tenantId, idOf(webhookId), 'production', { secrets });
  }
  const inForce = ({ until }: Kept): boolean => until === null || until > isoTime(clock.now());
  return {
    async create(tenantId, webhookId) {
      const secret = newSigningSecret();
      await put(tenantId, webhookId, [{ secret, until: null }]);
      return secret;
    },
    async rotate(tenantId, webhookId, previousUntil) {
      const secret = newSigningSecret();
      const readable = await kept(tenantId, webhookId).catch((error: unknown) => {
        if (error instanceof VaultError && error.code === 'VAULT_RECORD_UNREADABLE') return [];
        throw error;
      });
      const before = readable.map((one) => ({ ...one, until: one.until ?? previousUntil }));
      await put(tenantId, webhookId, [{ secret, until: null }, ...before].filter(inForce).slice(0, MOST));
      return secret;
    },
    valid: async (tenantId, webhookId) => (await kept(tenantId, webhookId)).filter(inForce).map(({ secret }) => secret),
    destroy: (tenantId, webhookId) => vault.destroy(tenantId, idOf(webhookId)),
  };
}
