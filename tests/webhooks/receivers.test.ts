import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostMessage } from '../../src/webhooks/post-message.ts';
import { isPublicAddress } from '../../src/webhooks/public-address.ts';
import { isReceiverAllowed, receiverUrl } from '../../src/webhooks/receiver-url.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const PRIVATE = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.168.1.1',
  '198.19.0.1',
  '203.0.113.5',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'ff02::1',
  'not an address',
];
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '2606:4700::1111',
  '2a00:1450::',
];

describe('an address', () => {
  it.each(PRIVATE)('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));
  it.each(PUBLIC)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('the URL of a receiver', () => {
  const refused = [
    'http://example.com/',
    'ftp://example.com/',
    'https://user:secret@example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'no url',
  ];
  it.each(refused)('%s is refused', (url) => expect(receiverUrl(url, 'public')).toBeNull());

  it('is accepted where it is https and public, and anywhere where the installation is open', () => {
    expect(receiverUrl('https://example.com/hook?a=1', 'public')?.hostname).toBe('example.com');
    expect(receiverUrl('https://1.1.1.1:8443/', 'public')?.port).toBe('8443');
    expect(receiverUrl('http://127.0.0.1:3000/', 'open')?.protocol).toBe('http:');
    expect(receiverUrl('ftp://127.0.0.1/', 'open')).toBeNull();
  });

  it('is refused where its name leads to any address that is not public', async () => {
    const resolving =
      (...addresses: string[]) =>
      async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const allowed = (...addresses: string[]) =>
      isReceiverAllowed('https://name.test/', 'public', resolving(...addresses));
    expect(await allowed('1.1.1.1', '2606:4700::1111')).toBe(true);
    expect(await allowed('1.1.1.1', '10.0.0.1')).toBe(false);
    expect(await allowed('::1')).toBe(false);
    expect(await isReceiverAllowed('https://localhost/', 'public')).toBe(false);
    const away = () => Promise.reject(new Error('ENOTFOUND'));
    expect(await isReceiverAllowed('https://name.test/', 'public', away)).toBe(true);
  });
});

describe('a message that is posted', () => {
  let receiver: Receiver;
  const never = new AbortController().signal;
  const message = { headers: { 'webhook-id': 'msg_1' }, body: '{"type":"webhook.test","data":{}}' };
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  function poster(policy: 'public' | 'open', addresses: readonly string[] = []) {
    const resolved = addresses.map((address) => ({ address, family: 4 }));
    return openPostMessage({ policy, timeoutMs: 300, userAgent: 'test', resolve: async () => resolved });
  }

  it('goes to no address that a name leads to only when it is connected', async () => {
    const { port } = new URL(receiver.url);
    for (const addresses of [['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], []]) {
      const { post, close } = poster('public', addresses);
      const attempted = await post(`https://rebinds.test:${port}/`, message, never);
      expect(attempted).toMatchObject({ status: null, error: 'ADDRESS_REFUSED' });
      close();
    }
    const { post, close } = poster('public');
    expect((await post(receiver.url, message, never)).error).toBe('ADDRESS_REFUSED');
    expect(receiver.received).toEqual([]);
    close();
  });

  it('does not follow a redirect', async () => {
    receiver.behave = () => 307;
    const { post, close } = poster('open', ['127.0.0.1']);
    expect(await post(receiver.url, message, never)).toMatchObject({ status: 307, response: 'answer 307' });
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers).toMatchObject({
      'webhook-id': 'msg_1',
      'user-agent': 'test',
      'content-type': 'application/json; charset=utf-8',
    });
    close();
  });

  it('gives up on a receiver that does not answer, is not there, or when it is aborted', async () => {
    receiver.behave = () => null;
    const { post, close } = poster('open', ['127.0.0.1']);
    expect(await post(receiver.url, message, never)).toMatchObject({ status: null, error: 'TIMEOUT', response: null });
    expect((await post('http://127.0.0.1:1/', message, never)).error).toBe('ECONNREFUSED');
    expect(await post(receiver.url, message, AbortSignal.abort())).toMatchObject({ status: null, error: 'ABORT_ERR' });
    close();
  });
});
