import { positionOf, remember } from './answers.ts';
import { type ChangesQuery, follow } from './changes.ts';
import { OPERATIONS } from './operations.ts';
import type { CallOptions, ClientOptions, Defaults, Position, WaitOptions } from './options.ts';
import { type Outgoing, send } from './send.ts';
import type { EachItem, ListChangesResult, Operations } from './types.ts';

type Given = WaitOptions & { readonly query?: Query };
type Query = Readonly<Record<string, unknown>>;
type Page = { readonly items: readonly object[]; readonly nextCursor: string | null };
type Method = (...given: unknown[]) => Promise<object>;

/** The operations are methods of it by their ids; `BankClient` is its type with them. */
class Client {
  /** The items of every page of a list, in its order; a page is fetched when the one before has been used up. */
  readonly each: EachItem;
  readonly #options: ClientOptions;

  /** @throws TypeError for a base URL that is none */
  constructor(options: ClientOptions) {
    new URL(options.baseUrl);
    this.#options = options;
    const iterators: Record<string, (...given: unknown[]) => AsyncGenerator<object>> = {};
    for (const [name, row] of Object.entries(OPERATIONS)) {
      if (partsOf(row).takes.has('pages')) iterators[name] = (...given) => this.#pages(name, row, given);
    }
    this.each = iterators as unknown as EachItem;
  }

  static {
    for (const [name, row] of Object.entries(OPERATIONS)) {
      const method = function (this: Client, ...given: unknown[]): Promise<object> {
        return this.#call(row, given);
      };
      Object.defineProperty(Client.prototype, name, { value: method, writable: true, configurable: true });
    }
  }

  /** The same client with other options for all of its calls; what is not given stays. */
  with(options: Defaults): BankClient {
    return new BankClient({ ...this.#options, ...options });
  }

  /**
   * The same client, whose reads include everything up to the position, or up to the answer that a result came in:
   * each waits until the service has got there.
   */
  waitFor(position: Position): BankClient {
    return this.with({ after: position });
  }

  /**
   * What came, changed or was withdrawn since the cursor, page by page, and then what comes from here on: without end,
   * unless `follow` is false. Keep the `nextCursor` of each page once it is dealt with, and begin with it next time;
   * a page that was not dealt with then comes again. Failures of the link and of the service are waited out, however
   * long they last, unless `maxAttempts` says otherwise.
   */
  changes(query: ChangesQuery = {}, options: CallOptions = {}): AsyncGenerator<ListChangesResult, void, undefined> {
    const patient = { maxAttempts: Infinity, ...options };
    return follow((asked) => this.#call(OPERATIONS.listChanges, [asked, patient]) as Promise<ListChangesResult>, query);
  }

  async *#pages(name: string, row: string, given: readonly unknown[]): AsyncGenerator<object, void, undefined> {
    const at = partsOf(row).names.length;
    const method = (this as unknown as Record<string, Method>)[name]?.bind(this);
    let query = (given[at] ?? {}) as Query;
    for (;;) {
      const page = (await method?.(...given.slice(0, at), query, ...given.slice(at + 1))) as Page;
      yield* page.items;
      if (page.nextCursor === null) return;
      query = { ...query, cursor: page.nextCursor };
    }
  }

  async #call(row: string, given: readonly unknown[]): Promise<object> {
    const { method, path, names, takes } = partsOf(row);
    const hasInput = takes.has('body') || takes.has('query');
    const input = hasInput ? given[names.length] : undefined;
    const ownOptions = (given[names.length + (hasInput ? 1 : 0)] ?? {}) as Given;
    const options: Given & ClientOptions = { ...this.#options, ...ownOptions };
    const query = (takes.has('body') ? ownOptions.query : input) as Query | undefined;
    const outgoing: Outgoing = {
      method,
      url: `${options.baseUrl.replace(/\/+$/, '')}${filled(path, names, given)}${takes.has('query') ? search(query) : ''}`,
      headers: headersOf(takes, options),
      body: takes.has('body') && input !== undefined ? JSON.stringify(input) : undefined,
      isRepeatable: takes.has('key') || (method !== 'POST' && method !== 'PATCH'),
      isStream: takes.has('stream'),
      authorization: takes.has('public') ? async () => ({}) : () => authorization(options),
    };
    const { result, response } = await send(outgoing, options, this.#options);
    return remember(result, response);
  }
}

/** Calls the service; each operation is a method that returns the `result` of the answer's envelope. */
export type BankClient = Client & Operations;
export const BankClient = Client as new (options: ClientOptions) => BankClient;

type Parts = {
  readonly method: string;
  readonly path: string;
  /** Of the path parameters, in their order. */
  readonly names: readonly string[];
  readonly takes: ReadonlySet<string>;
};

/** Of a row of the table of operations. */
function partsOf(row: string): Parts {
  const [method = '', path = '', ...takes] = row.split(' ');
  return { method, path, names: path.match(/(?<=\{)\w+/g) ?? [], takes: new Set(takes) };
}

function filled(path: string, names: readonly string[], given: readonly unknown[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[names.indexOf(name)];
    // A URL has no way to write these as a segment: it would be the address of something else.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name} is no id`);
    return encodeURIComponent(value);
  });
}

function search(query: Query = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) pairs.append(name, String(one));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

function headersOf(takes: ReadonlySet<string>, options: Given): Headers {
  const headers = new Headers(options.headers);
  const set = (name: string, value: string | number | null | undefined): void => {
    if (value !== null && value !== undefined) headers.set(name, String(value));
  };
  if (takes.has('body')) set('content-type', 'application/json');
  if (takes.has('company')) {
    set('x-company-id', options.company);
    set('x-tenant-id', options.tenant);
  }
  if (takes.has('after') && options.after !== undefined) set('x-min-log-position', positionOf(options.after));
  if (takes.has('key')) set('idempotency-key', options.idempotencyKey ?? randomKey());
  if (takes.has('wait') && options.wait !== undefined) set('prefer', `wait=${options.wait}`);
  return headers;
}

/** Not randomUUID, which browsers only have on pages that came over TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function authorization({ apiKey, apiSecret, accessToken }: ClientOptions): Promise<Record<string, string>> {
  if (apiKey !== undefined && apiSecret !== undefined) return { 'x-api-key': apiKey, 'x-api-secret': apiSecret };
  if (accessToken === undefined) return {};
  return { authorization: `Bearer ${typeof accessToken === 'function' ? await accessToken() : accessToken}` };
}
