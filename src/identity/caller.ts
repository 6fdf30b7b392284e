import type { Actor } from '../events/event.ts';
import type { Role, Scope } from '../events/tenancy.ts';

/** The caller, determined by the credentials alone. */
export type Caller = {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly scopes: readonly Scope[];
  /** Null: all companies of the tenant. */
  readonly companies: readonly string[] | null;
  /** Null for an API key, which has scopes and no role. */
  readonly role: Role | null;
  /** The session a user's token belongs to; null for keys and for tokens of an outside issuer. */
  readonly sessionId: string | null;
};

/**
 * What the caller is to be known for. One who only reads is known while the log is away, too, where the credentials
 * were good shortly before (ADR 0034).
 */
export type Purpose = 'read' | 'write';

/** Both return null for anything that is not valid now, without a reason. @throws LogUnavailable */
export type AuthenticateKey = (
  credentials: { apiKey: string; apiSecret: string },
  purpose: Purpose,
) => Promise<Caller | null>;
/**
 * `tenantId` is the tenant that the request names, null for none: needed for the token of an outside issuer whose
 * person is in several; a token of ours belongs to one. @throws SeveralTenants, LogUnavailable
 */
export type AuthenticateBearer = (token: string, tenantId: string | null, purpose: Purpose) => Promise<Caller | null>;
