import type { CommandContext } from '../../commands/command.ts';
import type { Scope } from '../../events/tenancy.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Reader } from '../../queries/reader.ts';
import type { Limited } from '../../traffic/tenant-limits.ts';
import type { ErrorCode } from './errors.ts';
import type { HttpServices } from './http-services.ts';
import type { z } from './zod.ts';

type Shape = z.ZodObject | undefined;
/** Neither a query string nor JSON can hold `undefined`, so a missing member is absent. */
type WithoutUndefined<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };
type Parsed<S> = S extends z.ZodType ? WithoutUndefined<z.output<S>> : Record<string, never>;

/** A request that has passed the checks of the HTTP layer: caller, rights, company and schema. */
export type Call<Params, Query, Body> = {
  readonly services: HttpServices;
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The company named by x-company-id, null when none was. */
  readonly companyId: string | null;
  readonly reader: Reader;
  readonly context: CommandContext;
  /** Seconds of `Prefer: wait`, null without. */
  readonly waitSeconds: number | null;
  readonly signal: AbortSignal;
  /** A header of the request; null where it has none. */
  readonly header: (name: string) => string | null;
  /** The client's address, as far as the proxies in front are trusted. */
  readonly address: string;
  /** HTTP trailers that are sent after a streamed body; to be called before the body ends. */
  readonly trailers: (values: Record<string, string>) => void;
};

export type Reply<Result> = {
  readonly status: 200 | 201 | 202;
  readonly result: Result;
  /** Of the last event the request made; becomes x-log-position. */
  readonly position?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A body that is produced while it is sent. */
export type Streamed = {
  readonly stream: ReadableStream<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Who may call: `anyone`; any `caller` with valid credentials; a `user` who is signed in, or one whose role is `admin`;
 * the holder of the `operator-token`; or a named scope, which a key carries and a role grants.
 */
export type Access = 'anyone' | 'caller' | 'user' | 'admin' | 'operator-token' | Scope;

export type Operation = {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** `{id}` marks a path parameter. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** A second scope that it needs; null for none. */
  readonly alsoNeeds: Scope | null;
  readonly params: Shape;
  readonly query: Shape;
  readonly body: z.ZodType | undefined;
  readonly bodyOptional: boolean;
  readonly prefersWait: boolean;
  /** False where the request cannot be repeated, since the first one has invalidated its credentials. */
  readonly repeatable: boolean;
  readonly result: z.ZodType;
  /** Of a streamed body; null: JSON in the envelope. */
  readonly media: string | null;
  /** Media type of the text that it can answer with instead of the envelope, on request. */
  readonly alsoMedia: string | null;
  readonly successes: readonly (200 | 201 | 202)[];
  readonly errors: readonly ErrorCode[];
  /** The error for a path with ids that cannot have been issued. */
  readonly notFound: ErrorCode;
  /** Whether the request, by its query, costs much more than most: a tenant may run only a few of these at once. */
  readonly costly: (query: Readonly<Record<string, unknown>>) => boolean;
  /** What the request adds to, and the tenant may have only a limited number of; null for nothing. */
  readonly adds: Limited | null;
  /** The read models it answers from: x-min-log-position waits for these. */
  readonly reads: readonly string[];
  readonly handle: (call: Call<never, never, never>) => Promise<Reply<unknown> | Streamed>;
};

/** Types a handler by its schemas; the document, the validation and the router are all made from what this returns. */
export function operation<
  Result extends z.ZodType,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: {
  id: string;
  method: Operation['method'];
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  alsoNeeds?: Scope;
  params?: Params;
  query?: Query;
  body?: Body;
  bodyOptional?: boolean;
  prefersWait?: boolean;
  repeatable?: boolean;
  result: Result;
  media?: string;
  alsoMedia?: string;
  successes?: readonly (200 | 201 | 202)[];
  errors?: readonly ErrorCode[];
  notFound?: ErrorCode;
  costly?: boolean | ((query: Parsed<Query>) => boolean);
  adds?: Limited;
  reads?: readonly { readonly name: string }[];
  handle: (call: Call<Parsed<Params>, Parsed<Query>, Parsed<Body>>) => Promise<Reply<z.input<Result>> | Streamed>;
}): Operation {
  const { params, query, body, successes = [200], errors = [], reads = [], costly = false, adds = null } = definition;
  const isCostly = typeof costly === 'boolean' ? () => costly : costly;
  return {
    ...definition,
    alsoNeeds: definition.alsoNeeds ?? null,
    params,
    query,
    body,
    bodyOptional: definition.bodyOptional ?? false,
    prefersWait: definition.prefersWait ?? false,
    media: definition.media ?? null,
    alsoMedia: definition.alsoMedia ?? null,
    repeatable: definition.repeatable ?? true,
    successes,
    notFound: definition.notFound ?? 'ROUTE_NOT_FOUND',
    errors: definition.notFound === undefined ? errors : [...errors, definition.notFound],
    costly: (asked) => asked.count === true || isCostly(asked as never),
    adds,
    reads: reads.map(({ name }) => name),
    handle: definition.handle as unknown as Operation['handle'],
  };
}

type Repeated = Pick<Operation, 'method' | 'repeatable'>;

/** True where the header `idempotency-key` has an effect. */
export function takesIdempotencyKey({ method, repeatable }: Repeated): boolean {
  return repeatable && (method === 'post' || method === 'patch');
}

/** True for operations that change something; under /banks these must name a company. */
export function isWrite({ method, access }: Pick<Operation, 'method' | 'access'>): boolean {
  return method !== 'get' && access.endsWith(':write');
}

/** True for operations that need no more than what is stored: these are answered while the log is away. */
export function onlyReads({ method }: Pick<Operation, 'method'>): boolean {
  return method === 'get';
}
