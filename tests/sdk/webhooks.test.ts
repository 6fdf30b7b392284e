import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookError } from '../../sdk/src/index.ts';

/** The example of the Standard Webhooks specification. */
const KNOWN = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
};
const AT = 1_700_000_000;
const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const BODY = JSON.stringify({ type: 'run.completed', timestamp: '2023-11-14T22:13:20.000Z', data: { id: 'ğ' } });

function signature(secret: string, body = BODY, id = 'msg_1', seconds = AT): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

function headers(signatures: string, seconds = AT): Record<string, string> {
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(seconds), 'webhook-signature': signatures };
}

describe('verifying a webhook', () => {
  it('takes the example of the specification', async () => {
    const { id } = await verifyWebhook(KNOWN.headers, KNOWN.body, KNOWN.secret, 1_614_265_330_000);
    expect(id).toBe('msg_p5jXN8AQM9LWM0D4loKWxJek');
  });

  it('returns the message, from text or bytes, and from any kind of headers', async () => {
    const message = { id: 'msg_1', ...JSON.parse(BODY) };
    const given = headers(signature(NEW));
    expect(await verifyWebhook(given, BODY, NEW, AT * 1_000)).toEqual(message);
    expect(await verifyWebhook(new Headers(given), new TextEncoder().encode(BODY), NEW, AT * 1_000)).toEqual(message);
  });

  it.each([
    ['the old of two secrets', signature(OLD), [NEW, OLD]],
    ['the second of two signatures', `${signature(OLD)} ${signature(NEW)}`, NEW],
    ['a signature beside those of other versions', `v1a,AAAA v2,%% ${signature(NEW)}`, [NEW]],
  ])('takes %s', async (_, signatures, secrets) => {
    expect(await verifyWebhook(headers(signatures), BODY, secrets, AT * 1_000)).toMatchObject({ id: 'msg_1' });
  });

  it.each([
    ['the secret of somebody else', headers(signature(OLD)), BODY],
    ['a changed body', headers(signature(NEW)), BODY.replace('completed', 'failed')],
    ['another id', { ...headers(signature(NEW)), 'webhook-id': 'msg_2' }, BODY],
    ['another time', { ...headers(signature(NEW)), 'webhook-timestamp': String(AT + 1) }, BODY],
    ['a time that is none', { ...headers(signature(NEW)), 'webhook-timestamp': 'NaN' }, BODY],
    ['no signature', { 'webhook-id': 'msg_1', 'webhook-timestamp': String(AT) }, BODY],
    ['an empty signature', headers('v1,'), BODY],
    ['a signature that is no base64', headers('v1,%%%'), BODY],
    ['a signature of another version only', headers(signature(NEW).replace('v1,', 'v2,')), BODY],
    ['half a signature', headers(signature(NEW).slice(0, 24)), BODY],
  ])('refuses %s', async (_, given, body) => {
    await expect(verifyWebhook(given, body, NEW, AT * 1_000)).rejects.toThrow(WebhookError);
  });

  it('takes five minutes and no more', async () => {
    const at = (seconds: number) => verifyWebhook(headers(signature(NEW)), BODY, NEW, (AT + seconds) * 1_000);
    await Promise.all([at(300), at(-300)]);
    await expect(at(301)).rejects.toThrow(WebhookError);
    await expect(at(-301)).rejects.toThrow(WebhookError);
  });

  it.each(['', 'whsec_', 'whsec_%%%'])('does not work with %j for a secret', async (secret) => {
    await expect(verifyWebhook(headers(signature(NEW)), BODY, secret, AT * 1_000)).rejects.toThrow(TypeError);
  });

  it('refuses whatever else arrives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.string(), async (id, seconds, signatures) => {
        const given = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures };
        await expect(verifyWebhook(given, BODY, NEW)).rejects.toThrow(WebhookError);
      }),
    );
  });
});
