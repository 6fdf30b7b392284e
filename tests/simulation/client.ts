import type { Instance } from './instances.ts';
import type { Actor, Scheduler } from './scheduler.ts';

export type Answer = {
  readonly status: number;
  readonly code: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds depends on the request
  readonly result: any;
  readonly position: string | null;
};

/** `unknown`: it may have been carried out or not. */
export type Reply = Answer | 'unknown';

export type Headers = Readonly<Record<string, string>>;

export type Client = {
  readonly actor: Actor;
  /** One attempt at one instance. */
  readonly once: (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Reply>;
  /** Repeats the same request, under one idempotency key, until it is answered; gives up after some attempts. */
  readonly ask: (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Reply>;
  readonly pause: (ms: number) => Promise<void>;
};

const WAITS_MS = 40_000;
const MOST_ATTEMPTS = 12;
/** Answers that say that the same request may be accepted later. */
const PASSING = new Set(['IDEMPOTENCY_IN_PROGRESS', 'CONCURRENT_CHANGE', 'TENANT_BUSY', 'RATE_LIMITED']);

/** A request whose body is there at once: reading it takes no turn of the real event loop. */
function wholeRequest(url: string, init: RequestInit, text: string): Request {
  const arrayBuffer = async (): Promise<ArrayBuffer> => new TextEncoder().encode(text).buffer;
  return Object.assign(new Request(url, init), { arrayBuffer });
}

export function createClient(options: {
  readonly actor: Actor;
  readonly scheduler: Scheduler;
  readonly instances: () => readonly Instance[];
  /** Says who it is. */
  readonly headers: Headers;
}): Client {
  const { actor, scheduler } = options;
  const { random } = actor;
  let made = 0;

  function send(instance: Instance, request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      scheduler.after(random() * 3, instance.actor, () => {
        Promise.resolve(instance.fetch()?.(request)).then((response) => {
          if (response === undefined) reject(new Error('nothing listens'));
          else scheduler.after(random() * 3, actor, () => resolve(response));
        }, reject);
      });
    });
  }

  async function once(method: string, path: string, body?: unknown, further: Headers = {}): Promise<Reply> {
    const serving = options.instances().filter(({ role }) => role !== 'worker');
    const up = serving.filter((each) => each.actor.alive && each.fetch() !== undefined);
    const instance = up[Math.floor(random() * up.length)];
    if (instance === undefined) return 'unknown';
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      ...options.headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...further,
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: text }) };
    const request = wholeRequest(`http://simulated${path}`, init, text);
    const lost = Promise.race([instance.crashed, scheduler.pause(WAITS_MS, actor)]).then(() => null);
    const response = await Promise.race([send(instance, request).catch(() => null), lost]);
    if (response === null) return 'unknown';
    const given = (await scheduler.hold(response.json())) as { code?: string; result: unknown };
    const { status } = response;
    return { status, code: given.code ?? null, result: given.result, position: response.headers.get('x-log-position') };
  }

  return {
    actor,
    once,
    async ask(method, path, body, headers = {}) {
      made += 1;
      const key = method === 'GET' ? {} : { 'idempotency-key': `${actor.name} ${made}`.replaceAll(' ', '-') };
      for (let attempt = 1; ; attempt += 1) {
        const reply = await once(method, path, body, { ...headers, ...key });
        if (reply !== 'unknown' && reply.status < 500 && !PASSING.has(reply.code ?? '')) return reply;
        if (attempt === MOST_ATTEMPTS) return 'unknown';
        await scheduler.pause(100 + random() * 2_000, actor);
      }
    },
    pause: (ms) => scheduler.pause(ms, actor),
  };
}
