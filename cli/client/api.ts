export type Query = Readonly<Record<string, string | number | boolean>>;

type Answer = { readonly status: boolean; readonly code?: string; readonly message?: string; readonly result: unknown };

/** The public API as any client uses it: a key, a secret, and the company in a header. */
export type Api = {
  readonly get: <Result>(path: string, company: string | null, query?: Query) => Promise<Result>;
  readonly send: <Result>(
    method: 'POST' | 'PUT',
    path: string,
    company: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Result>;
  /** Every page of a list. */
  readonly all: <Item>(path: string, company: string | null, query?: Query) => Promise<Item[]>;
};

const PAGE = 200;

export class ApiFailure extends Error {
  readonly status: number;
  constructor(status: number, what: string, { code, message }: Partial<Answer>) {
    super(`${what} answered ${status} ${code ?? ''}: ${message ?? 'no message'}`);
    this.name = 'ApiFailure';
    this.status = status;
  }
}

export function openApi(url: string, keys: { apiKey: string; apiSecret: string }, signal: AbortSignal): Api {
  const identity = { 'x-api-key': keys.apiKey, 'x-api-secret': keys.apiSecret };

  async function request<Result>(method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const response = await fetch(`${url}${path}`, {
      method,
      signal,
      headers: { ...identity, ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer;
    if (!response.ok) throw new ApiFailure(response.status, `${method} ${path.split('?')[0]}`, answer);
    return answer.result as Result;
  }

  function get<Result>(path: string, company: string | null, query: Query = {}): Promise<Result> {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const narrowed: Record<string, string> = company === null ? {} : { 'x-company-id': company };
    return request<Result>('GET', search === '' ? path : `${path}?${search}`, narrowed);
  }

  return {
    get,
    send: (method, path, company, body, headers = {}) =>
      request(method, path, { 'x-company-id': company, ...headers }, body),
    async all<Item>(path: string, company: string | null, query: Query = {}): Promise<Item[]> {
      const items: Item[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { items: Item[]; nextCursor: string | null } = await get(path, company, {
          ...query,
          limit: PAGE,
          ...(cursor === '' ? {} : { cursor }),
        });
        items.push(...page.items);
        cursor = page.nextCursor;
      }
      return items;
    },
  };
}
