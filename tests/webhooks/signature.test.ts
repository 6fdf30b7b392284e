import { describe, expect, it } from 'vitest';
import { newSigningSecret, signedHeaders } from '../../src/webhooks/signature.ts';

describe('a signature', () => {
  it('is that of the Standard Webhooks specification', () => {
    // The example of the reference libraries.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    expect(signedHeaders(message, [secret], 1_614_265_330_999)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is made once for each secret, and each secret is another', () => {
    const [one, other] = [newSigningSecret(), newSigningSecret()];
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(one).not.toBe(other);
    const message = { id: 'msg_1', body: '{}' };
    const both = signedHeaders(message, [one, other], 0)['webhook-signature'];
    const alone = [one, other].map((secret) => signedHeaders(message, [secret], 0)['webhook-signature']);
    expect(both).toBe(alone.join(' '));
  });
});
