import { z } from 'zod';
import type { Limited } from './traffic/tenant-limits.ts';

export const ROLES_OF_INSTANCES = ['all', 'api', 'worker'] as const;

type ProviderConfig = {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
};

/** The whole configuration, read once. Keys are 32 bytes, or null where the embedded stores make their own. */
export type Config = {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly role: (typeof ROLES_OF_INSTANCES)[number];
  /** Whether the role `all` runs projections and reactors in a thread of their own. */
  readonly backgroundThread: boolean;
  readonly eventStoreUrl: string | null;
  readonly mongoDbUrl: string | null;
  readonly statementsDir: string;
  /** Whether the bank that makes up its statements is in the catalogue. */
  readonly demoBank: boolean;
  readonly encryptionKey: Buffer | null;
  readonly tokenKey: Buffer | null;
  readonly requestsPerMinute: number;
  /** By all keys and users of a tenant together. */
  readonly tenantRequestsPerMinute: number;
  /** Of one tenant, in this instance at once. */
  readonly costlyRequestsAtOnce: number;
  readonly exportsAtOnce: number;
  /** Of one tenant, in this instance at once: requests that wait for changes. */
  readonly heldRequests: number;
  /** After which an answer that nobody reads on is cut off. */
  readonly stalledSeconds: number;
  /** How long before the log went away credentials may have been verified and still read; 0: they do not. */
  readonly readWithoutLogSeconds: number;
  /** Of one tenant; past it nothing is added. */
  readonly tenantLimits: Readonly<Record<Limited, number>>;
  /** From one address. */
  readonly authFailuresPerMinute: number;
  readonly trustedProxies: number;
  /** Grants access to /operator; null: those paths do not exist. */
  readonly operatorToken: string | null;
  /** Grants access to /metrics; null: that path does not exist. */
  readonly metricsToken: string | null;
  /** An OpenID provider whose tokens are accepted besides our own; null: none. */
  readonly outsideIssuer: { readonly issuer: string; readonly jwksUrl: string; readonly audience: string } | null;
  /** Where people sign in to the console besides by password; null: nowhere else. */
  readonly provider: ProviderConfig | null;
  /** Pages of these origins may call the API, without cookies. */
  readonly corsOrigins: readonly string[];
  /** Receivers of webhooks: on the public internet alone, or anywhere, also over http. */
  readonly webhookReceivers: 'public' | 'open';
  readonly bootstrap: {
    readonly tenant: string | null;
    readonly companyId: string | null;
    readonly adminEmail: string | null;
    readonly adminPassword: string | null;
    readonly apiKey: string | null;
    readonly apiSecret: string | null;
  };
  /** How long a first start waits for its tenant to become visible. */
  readonly firstStartSeconds: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly commit: string | null;
};

/** Values that were found wrong only when used, a line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('; '));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const KEY_BYTES = 32;
/** So many keys or users of a tenant may use up their requests at the same time, unless it is set otherwise. */
const KEYS_IN_FULL_USE = 5;

const key = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').length === KEY_BYTES, `must be ${KEY_BYTES} bytes in base64`)
  .transform((text) => Buffer.from(text, 'base64'));

const url = (protocols: readonly string[]) =>
  z.string().refine((text) => protocols.some((protocol) => text.startsWith(`${protocol}://`)), {
    message: `must start with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
  });

const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be ${minimum} to ${maximum}`);

/** What is fetched without TLS could be anybody's. */
const secureUrl = z
  .string()
  .regex(
    /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)[:/])/,
    'must start with https://, or with http:// on this machine',
  )
  .refine(URL.canParse, 'must be a URL');

/** Origins as browsers state them, separated by commas. */
const originList = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine(
    (origins) => origins.every((one) => /^https?:[^*]*$/.test(one) && URL.canParse(one) && new URL(one).origin === one),
    'must be origins such as https://app.example.com, separated by commas',
  );

const environmentSchema = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a port number')
    .default(3000),
  DATA_DIR: z.string().default('./data'),
  ROLE: z.enum(ROLES_OF_INSTANCES).default('all'),
  BACKGROUND_THREAD: z.enum(['on', 'off']).default('on'),
  EVENTSTORE_URL: url(['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover']).optional(),
  MONGODB_URL: url(['mongodb', 'mongodb+srv']).optional(),
  STATEMENTS_DIR: z.string().optional(),
  DEMO_BANK: z.enum(['on', 'off']).optional(),
  ENCRYPTION_KEY: key.optional(),
  TOKEN_KEY: key.optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{24,256}$/, 'must be 24 to 256 visible characters')
    .optional(),
  OPERATOR_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,256}$/, 'must be 32 to 256 visible characters')
    .optional(),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000_000).default(600),
  RATE_LIMIT_PER_TENANT: wholeNumber(1, 1_000_000_000).optional(),
  TENANT_LIMIT_COSTLY_REQUESTS: wholeNumber(1, 10_000).default(32),
  TENANT_LIMIT_EXPORTS: wholeNumber(1, 1_000).default(8),
  TENANT_LIMIT_HELD_REQUESTS: wholeNumber(1, 10_000).default(32),
  STALLED_EXPORT_SECONDS: wholeNumber(1, 3_600).default(30),
  READ_WITHOUT_LOG_SECONDS: wholeNumber(0, 86_400).default(300),
  TENANT_LIMIT_OPEN_RUNS: wholeNumber(1, 1_000_000).default(500),
  TENANT_LIMIT_OPEN_REPLAYS: wholeNumber(1, 1_000_000).default(500),
  TENANT_LIMIT_KEYS: wholeNumber(1, 1_000_000).default(1_000),
  TENANT_LIMIT_USERS: wholeNumber(1, 1_000_000).default(1_000),
  TENANT_LIMIT_CONNECTIONS: wholeNumber(1, 1_000_000).default(1_000),
  TENANT_LIMIT_WEBHOOKS: wholeNumber(1, 1_000_000).default(1_000),
  TENANT_LIMIT_RULE_BYTES: wholeNumber(1, 1_000_000_000).default(32 * 1024 * 1024),
  AUTH_FAILURES_PER_MINUTE: wholeNumber(1, 1_000_000_000).default(30),
  TRUST_PROXY: wholeNumber(0, 16).default(0),
  WEBHOOK_PRIVATE_NETWORKS: z.enum(['refuse', 'allow']).default('refuse'),
  OIDC_ISSUER: url(['https', 'http']).optional(),
  OIDC_JWKS_URL: secureUrl.optional(),
  OIDC_AUDIENCE: z.string().max(256).optional(),
  OIDC_AUTHORIZATION_URL: secureUrl.optional(),
  OIDC_TOKEN_URL: secureUrl.optional(),
  OIDC_CLIENT_ID: z.string().max(256).optional(),
  OIDC_CLIENT_SECRET: z.string().max(1_024).optional(),
  CORS_ORIGINS: originList.default([]),
  BOOTSTRAP_TENANT: z.string().trim().min(1).max(120).optional(),
  BOOTSTRAP_COMPANY_ID: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots or dashes')
    .optional(),
  BOOTSTRAP_ADMIN_EMAIL: z.email().max(254).optional(),
  BOOTSTRAP_ADMIN_PASSWORD: z.string().min(12, 'must have at least 12 characters').max(200).optional(),
  BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{8,128}$/, 'must be 8 to 128 letters, digits, dashes or underscores')
    .optional(),
  BOOTSTRAP_API_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]{24,256}$/, 'must be 24 to 256 visible characters')
    .optional(),
  FIRST_START_SECONDS: wholeNumber(1, 3_600).default(60),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  GIT_COMMIT: z.string().optional(),
});

export type ConfigOutcome =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Every fault at once, a line each, without the values. An empty variable counts as unset. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): ConfigOutcome {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environmentSchema.safeParse(given);
  const faults = parsed.success
    ? crossFaults(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  if (!parsed.success || faults.length > 0) return { ok: false, faults };
  const values = parsed.data;
  const { DATA_DIR: dataDir } = values;
  return {
    ok: true,
    config: {
      host: values.HOST,
      port: values.PORT,
      dataDir,
      role: values.ROLE,
      backgroundThread: values.BACKGROUND_THREAD === 'on',
      eventStoreUrl: values.EVENTSTORE_URL ?? null,
      mongoDbUrl: values.MONGODB_URL ?? null,
      statementsDir: values.STATEMENTS_DIR ?? `${dataDir}/statements`,
      demoBank: values.DEMO_BANK === undefined ? isEmbedded(values) : values.DEMO_BANK === 'on',
      encryptionKey: values.ENCRYPTION_KEY ?? null,
      tokenKey: values.TOKEN_KEY ?? null,
      metricsToken: values.METRICS_TOKEN ?? null,
      requestsPerMinute: values.RATE_LIMIT_PER_MINUTE,
      tenantRequestsPerMinute: values.RATE_LIMIT_PER_TENANT ?? KEYS_IN_FULL_USE * values.RATE_LIMIT_PER_MINUTE,
      costlyRequestsAtOnce: values.TENANT_LIMIT_COSTLY_REQUESTS,
      exportsAtOnce: values.TENANT_LIMIT_EXPORTS,
      heldRequests: values.TENANT_LIMIT_HELD_REQUESTS,
      stalledSeconds: values.STALLED_EXPORT_SECONDS,
      readWithoutLogSeconds: values.READ_WITHOUT_LOG_SECONDS,
      tenantLimits: {
        openRuns: values.TENANT_LIMIT_OPEN_RUNS,
        openReplays: values.TENANT_LIMIT_OPEN_REPLAYS,
        apiKeys: values.TENANT_LIMIT_KEYS,
        users: values.TENANT_LIMIT_USERS,
        connections: values.TENANT_LIMIT_CONNECTIONS,
        ruleBytes: values.TENANT_LIMIT_RULE_BYTES,
        webhooks: values.TENANT_LIMIT_WEBHOOKS,
      },
      authFailuresPerMinute: values.AUTH_FAILURES_PER_MINUTE,
      trustedProxies: values.TRUST_PROXY,
      operatorToken: values.OPERATOR_TOKEN ?? null,
      outsideIssuer: outsideIssuerOf(values),
      provider: providerOf(values),
      corsOrigins: values.CORS_ORIGINS,
      webhookReceivers: values.WEBHOOK_PRIVATE_NETWORKS === 'allow' ? 'open' : 'public',
      bootstrap: {
        tenant: values.BOOTSTRAP_TENANT ?? null,
        companyId: values.BOOTSTRAP_COMPANY_ID ?? null,
        adminEmail: values.BOOTSTRAP_ADMIN_EMAIL ?? null,
        adminPassword: values.BOOTSTRAP_ADMIN_PASSWORD ?? null,
        apiKey: values.BOOTSTRAP_API_KEY ?? null,
        apiSecret: values.BOOTSTRAP_API_SECRET ?? null,
      },
      firstStartSeconds: values.FIRST_START_SECONDS,
      logLevel: values.LOG_LEVEL,
      commit: values.GIT_COMMIT ?? null,
    },
  };
}

function isEmbedded(values: z.output<typeof environmentSchema>): boolean {
  return values.EVENTSTORE_URL === undefined && values.MONGODB_URL === undefined;
}

function outsideIssuerOf(values: z.output<typeof environmentSchema>): Config['outsideIssuer'] {
  const { OIDC_ISSUER: issuer, OIDC_JWKS_URL: jwksUrl, OIDC_AUDIENCE: audience } = values;
  if (issuer === undefined || jwksUrl === undefined || audience === undefined) return null;
  return { issuer, jwksUrl, audience };
}

function providerOf(values: z.output<typeof environmentSchema>): Config['provider'] {
  const { OIDC_AUTHORIZATION_URL: authorizationUrl, OIDC_TOKEN_URL: tokenUrl, OIDC_CLIENT_ID: clientId } = values;
  if (authorizationUrl === undefined || tokenUrl === undefined || clientId === undefined) return null;
  return { authorizationUrl, tokenUrl, clientId, clientSecret: values.OIDC_CLIENT_SECRET ?? null };
}

/** Faults in the combination of variables. */
function crossFaults(values: z.output<typeof environmentSchema>): string[] {
  const faults: string[] = [];
  const outside = values.EVENTSTORE_URL !== undefined && values.MONGODB_URL !== undefined;
  const anyOutside = values.EVENTSTORE_URL !== undefined || values.MONGODB_URL !== undefined;
  if (values.ROLE !== 'all' && !outside) {
    faults.push(
      'ROLE: api and worker need EVENTSTORE_URL and MONGODB_URL, since embedded stores belong to one process',
    );
  }
  if (anyOutside) {
    for (const name of ['ENCRYPTION_KEY', 'TOKEN_KEY'] as const) {
      if (values[name] === undefined)
        faults.push(`${name}: required with EVENTSTORE_URL or MONGODB_URL (32 bytes, base64)`);
    }
  }
  const outsideIssuer = [values.OIDC_ISSUER, values.OIDC_JWKS_URL, values.OIDC_AUDIENCE];
  if (outsideIssuer.includes(undefined) && outsideIssuer.some((value) => value !== undefined)) {
    faults.push('OIDC_ISSUER: set it together with OIDC_JWKS_URL and OIDC_AUDIENCE');
  }
  const provider = [values.OIDC_AUTHORIZATION_URL, values.OIDC_TOKEN_URL, values.OIDC_CLIENT_ID];
  const anyOfProvider = [...provider, values.OIDC_CLIENT_SECRET].some((value) => value !== undefined);
  if (anyOfProvider && (provider.includes(undefined) || outsideIssuerOf(values) === null)) {
    faults.push(
      'OIDC_AUTHORIZATION_URL: set it together with OIDC_TOKEN_URL, OIDC_CLIENT_ID, OIDC_ISSUER, OIDC_JWKS_URL and ' +
        'OIDC_AUDIENCE',
    );
  }
  if ((values.BOOTSTRAP_API_KEY === undefined) !== (values.BOOTSTRAP_API_SECRET === undefined)) {
    faults.push('BOOTSTRAP_API_KEY: set it together with BOOTSTRAP_API_SECRET');
  }
  return faults;
}
