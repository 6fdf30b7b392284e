import { BankClient, type ClientOptions } from '../../sdk/src/index.ts';

export type Sent = {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly init: RequestInit;
};
export type FakeAnswer = (sent: Sent) => Response | Promise<Response>;

/** A client whose requests are answered in turn, the last answer again and again, and what it sent. */
export function fakeService(answers: readonly FakeAnswer[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = new BankClient({
    baseUrl: 'https://bank.example',
    apiKey: 'key',
    apiSecret: 'secret',
    ...options,
    fetch: async (url, init) => {
      const one = {
        method: init.method ?? '',
        url,
        headers: new Headers(init.headers),
        body: init.body as string | undefined,
        init,
      };
      sent.push(one);
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer === undefined) throw new Error('no answer is left');
      return answer(one);
    },
  } as ClientOptions);
  return { client, sent };
}

export function done(result: object = { id: 'one' }, headers: Record<string, string> = {}): FakeAnswer {
  return () => Response.json({ status: true, result }, { headers });
}

export function refused(
  status: number,
  code: string,
  headers: Record<string, string> = {},
  meta: object = { requestId: 'request-1' },
): FakeAnswer {
  return () => Response.json({ status: false, code, message: 'It is so.', meta }, { status, headers });
}

export function broken(): FakeAnswer {
  return () => {
    throw new TypeError('fetch failed');
  };
}

/** Everything that the iterator yields. */
export async function collected<T>(iterator: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of iterator) all.push(one);
  return all;
}
