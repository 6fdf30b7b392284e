import type { LookupAddress } from 'node:dns';
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { isPublicAddress } from './public-address.ts';
import { type ReceiverPolicy, type ResolveName, receiverUrl, resolveName } from './receiver-url.ts';

/** What came of one attempt. */
export type Attempted = {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** Why there was none: a code. */
  readonly error: string | null;
  readonly durationMs: number;
  /** The first 1 KiB of the answer. */
  readonly response: string | null;
};

export type PostMessage = (
  url: string,
  message: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
) => Promise<Attempted>;

const KEPT_BYTES = 1_024;
const IDLE_SOCKETS = 4;

class NotPublic extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

/**
 * Posts to receivers. Each name is resolved for each connection, and the connection goes to the very addresses that
 * were checked; a name with any address that is not public is refused. Redirects are not followed. It never throws.
 */
export function openPostMessage(options: {
  readonly policy: ReceiverPolicy;
  readonly timeoutMs: number;
  readonly userAgent: string;
  readonly resolve?: ResolveName;
}): { readonly post: PostMessage; readonly close: () => void } {
  const { policy, timeoutMs, userAgent, resolve = resolveName } = options;
  const kept = { keepAlive: true, maxFreeSockets: IDLE_SOCKETS, scheduling: 'lifo' as const };
  const agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent(kept) };

  const lookup: NonNullable<RequestOptions['lookup']> = (name, { all }, done) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        const isRefused = policy === 'public' && !addresses.every(({ address }) => isPublicAddress(address));
        if (first === undefined || isRefused)
          done(new NotPublic('the name leads to an address that is refused'), '', 0);
        else if (all) (done as (error: null, found: LookupAddress[]) => void)(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    );
  };

  async function answered(url: URL, { headers, body }: Parameters<PostMessage>[1], signal: AbortSignal) {
    const { promise, resolve: done, reject } = Promise.withResolvers<IncomingMessage>();
    const protocol = url.protocol as keyof typeof agents;
    const request = (protocol === 'https:' ? requestTls : requestPlain)(
      url,
      {
        method: 'POST',
        agent: agents[protocol],
        lookup,
        signal,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': userAgent,
          ...headers,
        },
      },
      done,
    );
    request.on('error', reject);
    request.end(body);
    return promise;
  }

  return {
    async post(text, message, outer) {
      const beganMs = performance.now();
      const outcome = (status: number | null, error: string | null, response: string | null): Attempted => ({
        status,
        error,
        response,
        durationMs: Math.round(performance.now() - beganMs),
      });
      const url = receiverUrl(text, policy);
      if (url === null) return outcome(null, 'ADDRESS_REFUSED', null);
      const tooLong = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([outer, tooLong]);
      try {
        const response = await answered(url, message, signal);
        return outcome(response.statusCode ?? 0, null, await firstOf(response));
      } catch (error) {
        if (tooLong.aborted) return outcome(null, 'TIMEOUT', null);
        return outcome(null, codeOf(error), null);
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** The rest of a longer answer is not read; one that breaks off says what it said until then. */
async function firstOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= KEPT_BYTES) break;
    }
  } catch {
    // The status has arrived, and it alone decides.
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8');
}

/** The code of the system or of TLS, such as ECONNREFUSED or CERT_HAS_EXPIRED. */
function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? 'ERROR');
}
