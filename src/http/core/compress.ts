import { createHash } from 'node:crypto';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { Answer } from './answer.ts';

export type Coding = 'br' | 'gzip';

/** What fits into one packet does not become faster by being smaller. */
const LEAST_BYTES = 1_400;
/** Of brotli's 11: several times as fast as gzip at a similar size. */
const BROTLI_QUALITY = 3;
const GZIP_LEVEL = 4;

const COMPRESSED = /^(application\/json|application\/x-ndjson|text\/(csv|html|css|javascript)|image\/svg\+xml)(;|$)/;

const brotli = (quality: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip);

/** The best coding that the header `accept-encoding` lists; null for none. */
export function codingOf(accepted: string | undefined): Coding | null {
  if (accepted === undefined) return null;
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',').slice(0, 20)) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const of = (name: Coding): number => weights.get(name) ?? weights.get('*') ?? 0;
  if (of('br') > 0 && of('br') >= of('gzip')) return 'br';
  return of('gzip') > 0 ? 'gzip' : null;
}

/** Whether answers of that kind depend on `accept-encoding`. */
function isCompressible({ headers, body }: Answer): boolean {
  if (headers['content-encoding'] !== undefined || body === '') return false;
  return COMPRESSED.test(headers['content-type'] ?? '');
}

export type Trailers = Readonly<Record<string, string>>;

/**
 * The answer in the coding that the client prefers, made outside the event loop; as it is if it is small, already
 * coded, or of a kind that is not compressed, such as a stream of events.
 * @param trailers of a streamed answer: `given` has them once its body is complete, `send` sends them then
 */
export async function compressed(
  answer: Answer,
  accepted: string | undefined,
  trailers: { readonly given: () => Trailers; readonly send: (values: Trailers) => void },
): Promise<Answer> {
  const { body } = answer;
  if (body === null || !isCompressible(answer)) return answer;
  const coding = codingOf(accepted);
  const headers = { ...answer.headers, vary: varyOf(answer) };
  if (body instanceof ReadableStream) {
    const source = coding === null ? withTrailers(body, trailers) : streamed(body, coding, trailers);
    const coded = coding === null ? headers : { ...headers, 'content-encoding': coding, ...trailerOf(answer) };
    return { ...answer, headers: coded, body: ReadableStream.from(source) as ReadableStream<Uint8Array> };
  }
  const kept = coding === null ? undefined : answer.codings?.get(coding);
  if (coding === null || (kept === undefined && Buffer.byteLength(body) < LEAST_BYTES)) return { ...answer, headers };
  const bytes = kept ?? (await inOnePiece(body, coding, answer.codings !== undefined));
  answer.codings?.set(coding, bytes);
  return { ...answer, headers: { ...headers, 'content-encoding': coding }, body: bytes };
}

function varyOf({ headers: { vary } }: Answer): string {
  return vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`;
}

/** @param isKept it is made once and sent often */
async function inOnePiece(
  body: string | Uint8Array<ArrayBuffer>,
  coding: Coding,
  isKept: boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const coded =
    coding === 'br' ? inBrotli(body, brotli(isKept ? 9 : BROTLI_QUALITY)) : inGzip(body, { level: GZIP_LEVEL });
  return new Uint8Array(await coded);
}

async function* withTrailers(
  body: ReadableStream<Uint8Array>,
  { given, send }: { readonly given: () => Trailers; readonly send: (values: Trailers) => void },
): AsyncIterable<Uint8Array> {
  yield* body;
  send(given());
}

/** `repr-digest` covers the bytes that are sent (RFC 9530), so that of the text gets a name of its own. */
async function* streamed(
  body: ReadableStream<Uint8Array>,
  coding: Coding,
  { given, send }: { readonly given: () => Trailers; readonly send: (values: Trailers) => void },
): AsyncIterable<Uint8Array> {
  const coder: Transform =
    coding === 'br' ? createBrotliCompress(brotli(BROTLI_QUALITY)) : createGzip({ level: GZIP_LEVEL });
  const done = pipeline(Readable.fromWeb(body as never), coder, { end: true });
  // A failure is thrown where the coder is read.
  done.catch(() => undefined);
  const digest = createHash('sha256');
  // Ends the coder too when it is left early.
  for await (const chunk of coder as AsyncIterable<Uint8Array>) {
    digest.update(chunk);
    yield chunk;
  }
  const { 'repr-digest': plain, ...others } = given();
  if (plain === undefined) return send(others);
  send({ ...others, 'unencoded-digest': plain, 'repr-digest': `sha-256=:${digest.digest('base64')}:` });
}

function trailerOf({ headers: { trailer } }: Answer): { trailer?: string } {
  return trailer?.includes('repr-digest') ? { trailer: `${trailer}, unencoded-digest` } : {};
}
