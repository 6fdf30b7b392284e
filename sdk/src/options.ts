/** The position of an earlier answer: the text, or the result that a method of a client returned. */
export type Position = string | object;

/** What may be said of all calls of a client. */
export type Defaults = {
  /** The company that the call is about: needed by writes, narrows reads; null for none. */
  readonly company?: string | null;
  /** Which tenant, for a person whose token of an outside issuer is good in several. */
  readonly tenant?: string;
  /** A read includes everything up to here, or fails with READ_MODEL_BEHIND. */
  readonly after?: Position;
  /** Ends the call, its attempts and the pauses between them; the call throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Of one attempt, in milliseconds (60,000); of a streamed answer until its headers are there. */
  readonly timeoutMs?: number;
  /** At least 1 (4). */
  readonly maxAttempts?: number;
  /** Further headers, such as `x-request-id` or `traceparent`. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** What may be said of one call; it prevails over what the client says of all. */
export type CallOptions = Defaults & {
  /** Instead of the one that is made for each POST and PATCH: 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string;
};

export type WaitOptions = CallOptions & {
  /** How long the service may wait for the work to finish before it answers, in seconds, at most 30. */
  readonly wait?: number;
};

type Credentials =
  | { readonly apiKey: string; readonly apiSecret: string; readonly accessToken?: never }
  | {
      /** A function is called before each attempt, so it can return a token that is still good. */
      readonly accessToken: string | (() => string | Promise<string>);
      readonly apiKey?: never;
      readonly apiSecret?: never;
    }
  | { readonly apiKey?: never; readonly apiSecret?: never; readonly accessToken?: never };

export type ClientOptions = Credentials &
  Defaults & {
    /** Of the service, with the path under which it is reached if that is not the root. */
    readonly baseUrl: string;
    /** Instead of the global one: for a proxy, a log or a test. */
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
    /** Instead of JSON.parse: to keep the digits of amounts that a number rounds. */
    readonly parseJson?: (text: string) => unknown;
  };
