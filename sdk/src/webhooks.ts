import type { WebhookContent } from './types.ts';

/** What a webhook receives: `type` says what `data` is. The `id` is the same on every attempt to deliver it. */
export type WebhookMessage = WebhookContent & { readonly id: string };

/** The request is not one of the service, has been changed, or is older than it may be. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type HeaderMap = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 5 * 60;

/**
 * The message of a request that a webhook received, once its signature and its age are verified. `body` is what
 * arrived, before anything parsed it. While a secret is being replaced, pass both. `nowMs` is the receiver's time, by
 * which a message may be 5 minutes old or early.
 * @throws WebhookError; TypeError for a secret that is none
 */
export async function verifyWebhook(
  headers: HeaderMap,
  body: string | Uint8Array,
  secrets: string | readonly string[],
  nowMs: number = Date.now(),
): Promise<WebhookMessage> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookError('webhook-timestamp is no time');
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw new WebhookError('webhook-timestamp is more than five minutes away');
  }
  const encoder = new TextEncoder();
  const content = typeof body === 'string' ? encoder.encode(body) : body;
  const start = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + content.length);
  signed.set(start);
  signed.set(content, start.length);
  const keys = await Promise.all((typeof secrets === 'string' ? [secrets] : secrets).map(keyOf));
  for (const signature of signatures.split(' ').filter((one) => one.startsWith('v1,'))) {
    const bytes = fromBase64(signature.slice(3));
    for (const key of keys) {
      // Compares in constant time.
      if (bytes !== null && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return messageOf(id, content);
    }
  }
  throw new WebhookError('no signature fits');
}

function headerOf(headers: HeaderMap, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`${name} is missing`);
  return value;
}

async function keyOf(secret: string) {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === null || bytes.length === 0) throw new TypeError('a secret of a webhook is whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function messageOf(id: string, content: Uint8Array): WebhookMessage {
  return { ...JSON.parse(new TextDecoder().decode(content)), id };
}
