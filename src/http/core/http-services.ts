import type { KeyObject } from 'node:crypto';
import type { Replays } from '../../audit/replays.ts';
import type { SealingKey } from '../../audit/seal.ts';
import type { ApiKeyUses } from '../../identity/api-key-uses.ts';
import type { ApiKeys } from '../../identity/api-keys.ts';
import type { AuthenticateBearer, AuthenticateKey } from '../../identity/caller.ts';
import type { IsCompany } from '../../identity/known-companies.ts';
import type { People } from '../../identity/people.ts';
import type { ProviderSignIn } from '../../identity/provider-sign-in.ts';
import type { SignIn } from '../../identity/sign-in.ts';
import type { Tenancies } from '../../identity/tenancies.ts';
import type { EventLog } from '../../log/log.ts';
import type { RunnableProjection } from '../../projections/engine/runnable.ts';
import type { SettledReads } from '../../projections/engine/settled-reads.ts';
import type { TenantChanges } from '../../projections/engine/tenant-changes.ts';
import type { BankProvider } from '../../providers/bank-provider.ts';
import type { ConnectorLogs } from '../../providers/connector-logs.ts';
import type { Vault } from '../../providers/vault.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import type { RuleBook } from '../../queries/rule-book.ts';
import type { Leases } from '../../readstore/read-store.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Counter } from '../../shared/counter.ts';
import type { NewId } from '../../shared/ids.ts';
import type { CostlyRequests } from '../../traffic/costly-requests.ts';
import type { FailedAttempts } from '../../traffic/failed-attempts.ts';
import type { HeldRefusals } from '../../traffic/held-refusals.ts';
import type { RateLimits } from '../../traffic/rate-limits.ts';
import type { RequestClaims } from '../../traffic/request-claims.ts';
import type { TenantLimits } from '../../traffic/tenant-limits.ts';
import type { Deliveries } from '../../webhooks/deliveries.ts';
import type { PostMessage } from '../../webhooks/post-message.ts';
import type { ReceiverPolicy } from '../../webhooks/receiver-url.ts';
import type { SigningSecrets } from '../../webhooks/signing-secrets.ts';
import type { ConsoleFiles } from '../console/read-console.ts';
import type { TransactionFiles } from '../routes/transactions/transaction-file.ts';
import type { Metrics } from './metrics.ts';
import type { PartHealth } from './part-health.ts';
import type { Stalling } from './watched-stream.ts';

export type HttpLogger = {
  readonly info: (fields: Record<string, unknown>, message: string) => void;
  readonly error: (fields: Record<string, unknown>, message: string) => void;
};

/** What the HTTP layer needs from the rest of the service. */
export type HttpServices = {
  /** For reading: its calls fail at once while the log is known to be away. */
  readonly log: EventLog;
  /** For commands: its calls wait out a short restart. */
  readonly commandLog: EventLog;
  /** Aborted while the log is known to be away. */
  readonly logDown: () => AbortSignal;
  readonly readModels: ReadModels & {
    /** The version of the read model that answers at present: until a newer one is built, an earlier one. */
    readonly readableVersion: (projection: RunnableProjection) => Promise<number>;
  };
  readonly leases: Leases;
  /** Makes exports of transactions. */
  readonly transactionFiles: TransactionFiles;
  readonly providers: ReadonlyMap<string, BankProvider>;
  readonly vault: Vault;
  readonly connectorLogs: ConnectorLogs;
  readonly ruleBook: RuleBook;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly authenticateKey: AuthenticateKey;
  readonly authenticateBearer: AuthenticateBearer;
  readonly signIn: SignIn;
  /** Null where no OpenID provider is configured for signing in. */
  readonly providerSignIn: ProviderSignIn | null;
  readonly people: People;
  readonly tenancies: Tenancies;
  readonly apiKeys: ApiKeys;
  readonly apiKeyUses: ApiKeyUses;
  /** SHA-256 of the token for /operator; null: those paths do not exist. */
  readonly operatorTokenHash: Buffer | null;
  readonly rateLimits: RateLimits;
  /** Shared by all keys and users of a tenant. */
  readonly tenantRateLimits: RateLimits;
  readonly costlyRequests: CostlyRequests;
  readonly heldRefusals: HeldRefusals;
  readonly tenantLimits: TenantLimits;
  /** Pages of these origins may call the API, without cookies. */
  readonly corsOrigins: readonly string[];
  /** Cuts off answers whose client stopped reading. */
  readonly stalling: Stalling;
  readonly failedAttempts: FailedAttempts;
  /** How many proxies in front are trusted to state the client's address. */
  readonly trustedProxies: number;
  readonly isCompany: IsCompany;
  readonly requestClaims: RequestClaims;
  readonly replays: Replays;
  /** Signs the seals over a tenant's history. */
  readonly sealingKey: SealingKey;
  /** Signs cursors. */
  readonly cursorKey: KeyObject;
  readonly waitFor: (projectionNames: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
  /** Those of the named read models that never were whole: what they answer may lack rows. */
  readonly partial: (projectionNames: readonly string[]) => Promise<string[]>;
  /** The stored position of a projection, "" before its first batch. */
  readonly positionOf: (projectionName: string) => Promise<string>;
  /** Resolves at the next change of a read model, or when the time is up. */
  readonly nextChange: (timeoutMs: number) => Promise<void>;
  /** Whether the log holds anything at or after the position. */
  readonly logReaches: (position: string) => Promise<boolean>;
  readonly settledReads: SettledReads;
  readonly tenantChanges: TenantChanges;
  /** Requests of each tenant that wait for changes. */
  readonly heldRequests: Pick<Counter<string>, 'begin'>;
  readonly webhooks: {
    readonly deliveries: Deliveries;
    readonly secrets: SigningSecrets;
    readonly post: PostMessage;
    readonly policy: ReceiverPolicy;
  };
  /** Aborted when the service stops: from then on no request waits. */
  readonly stopping: AbortSignal;
  readonly health: () => Promise<readonly PartHealth[]>;
  readonly version: { readonly service: string; readonly contract: string; readonly commit: string | null };
  /** Null where it is not built: then there is no /console. */
  readonly console: ConsoleFiles | null;
  /** Null: there is no /metrics, and nothing is counted. */
  readonly metrics: Metrics | null;
  readonly logger: HttpLogger;
  /** In tests: every answer is checked against its schema before it is sent. */
  readonly checkAnswers: boolean;
};
