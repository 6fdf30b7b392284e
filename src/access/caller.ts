import type { Actor } from '../events/event.ts';
import type { Scope } from '../events/tenancy.ts';

/** Who is calling, settled by the credentials alone. */
export type Caller = {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly scopes: readonly Scope[];
  /** Null: all companies of the tenant. */
  readonly companies: readonly string[] | null;
};

/** Null for anything that is not valid right now, without a word on what was wrong. */
export type Authenticate = (credentials: { apiKey: string; apiSecret: string }) => Promise<Caller | null>;
