import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptBody } from '../../src/providers/masking/kept-body.ts';
import { createMasking } from '../../src/providers/masking/masking.ts';
import { secretValues } from '../../src/providers/masking/secret-values.ts';
import { encodings } from '../support/encodings.ts';

const nothing = createMasking([]);
const shown = (text: string): string => nothing.text(text);

/** Signs that encodings treat each in its own way, among them some of two and four bytes. */
const sign = fc.constantFrom(...'abXYZ019', ...'%+/\\"\'&<>=?#:@ ;-_.', ...'çşİß€', '𝄞');
const secret = fc.array(sign, { minLength: 4, maxLength: 24 }).map((signs) => signs.join(''));

describe('a secret', () => {
  it.each(Object.entries(encodings))('is found written as %s', (_, encode) => {
    fc.assert(
      fc.property(secret, fc.constantFrom(' ', '"', '\n', '|'), (value, around) => {
        const masked = createMasking([value]).text(`before${around}${encode(value)}${around}after`);
        expect(masked).not.toContain(encode(value));
        expect(masked).toContain('[masked]');
      }),
      { numRuns: 60 },
    );
  });

  it('is found at any depth of the credentials, unless it is a number or structure that is no secret', () => {
    const fields = { script: { type: 'object', description: '' }, seed: { type: 'string', description: '' } } as const;
    const credentials = { seed: 'seed-value', script: { steps: ['page'] }, deep: { list: [{ pin: 12345 }, 'abc'] } };
    expect(secretValues(credentials, fields).sort()).toEqual(['12345', 'seed-value']);
    const shown = { seed: { type: 'string', description: '', writeOnly: false } } as const;
    expect(secretValues({ seed: 'seed-value' }, shown)).toEqual([]);
  });

  it('is found in the name of a header, and in a value that is shown', () => {
    const masking = createMasking(['hunter2']);
    expect(masking.headers({ 'x-hunter2': 'a', Server: 'bank/hunter2', Accept: '*/*', 'X-Other': 'b' })).toEqual({
      'x-[masked]': '[masked]',
      Server: 'bank/[masked]',
      Accept: '*/*',
      'X-Other': '[masked]',
    });
  });

  it.each(Object.entries(encodings))('is masked whole where the body is cut, written as %s', (_, encode) => {
    const value = 'sEcret/wörd+of 32 signs&="quoted"';
    const masking = createMasking([value]);
    const written = encode(value);
    for (const before of [1, Math.floor(written.length / 2), written.length - 1]) {
      const body = `${'|'.repeat(32 * 1024 - before)}${written}${'|'.repeat(100)}`;
      const kept = keptBody(masking, body);
      // What stands around it in its encoding (user:, padding) may be left, and the mask may be cut.
      expect(kept?.text?.replaceAll('|', '').replace(/\[(m(a(s(k(e(d(\])?)?)?)?)?)?)?/, '').length).toBeLessThan(7);
    }
  });
});

describe('a body', () => {
  it('above 32 KiB is kept in part, with size and digest of the whole', () => {
    const kept = keptBody(nothing, 'ş'.repeat(100_000));
    expect(kept).toMatchObject({ size: 200_000, truncated: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(kept?.text).toBe('ş'.repeat(16_384));
  });

  it('that is not text is described by its size and digest', () => {
    expect(keptBody(nothing, new Uint8Array([0x89, 0x50, 0xff, 0x00]))).toMatchObject({ size: 4, text: null });
  });

  it('of bytes that are text is text', () => {
    expect(keptBody(nothing, Buffer.from('çay'))?.text).toBe('çay');
    expect(keptBody(nothing, null)).toBeNull();
    expect(keptBody(nothing, '')?.text).toBe('');
  });

  it('of JSON stays JSON, whatever is masked in it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.array(secret, { maxLength: 3 }), (json, secrets) => {
        const wordy = secrets.map((value) => value.replace(/[^\p{L}\p{N}]/gu, 'x'));
        const planted = JSON.stringify({
          body: JSON.parse(json),
          pin: 1234,
          again: { token: [1, null, { a: 'b' }] },
          wordy,
        });
        const masked = JSON.parse(createMasking(wordy).text(planted)) as Record<string, unknown>;
        expect(masked.pin).toBe('[masked]');
        expect(masked.again).toMatchObject({ token: ['[masked]', null, { a: '[masked]' }] });
      }),
    );
  });
});

describe('by name', () => {
  it.each([
    ['{"user":"ann","apiKey":"one two","n":1}', '{"user":"ann","apiKey":"[masked]","n":1}'],
    ['{"client_secret": 17, "list": [true]}', '{"client_secret": "[masked]", "list": [true]}'],
    ['{"credentials":{"a":["b",{"c":1}]},"d":"e"}', '{"credentials":{"a":["[masked]",{"c":"[masked]"}]},"d":"e"}'],
    ['{"request":"{\\"password\\":\\"a b\\"}"}', '{"request":"{\\"password\\":\\"[masked]\\"}"}'],
    ['grant=code&refresh-token=abc&x=1', 'grant=code&refresh-token=[masked]&x=1'],
    ['user%5Bpassword%5D=abc&x=1', 'user%5Bpassword%5D=[masked]&x=1'],
    ['https://bank.example/a?session.id=abc&b=c#d', 'https://bank.example/a?session.id=[masked]&b=c#d'],
    ['https://bank.example/a?b=c#otp=12', 'https://bank.example/a?b=c#otp=[masked]'],
    ['Cookie: a=b; c=d\r\nAccept: text/xml', 'Cookie: [masked]\r\nAccept: text/xml'],
    ['failed with pin: 12 34', 'failed with pin: [masked]'],
    ['<a><s:Password x="1">y<b/></s:Password><c>d</c></a>', '<a><s:Password x="1">[masked]</s:Password><c>d</c></a>'],
    ['<login privateKey="abc" user="ann"/>', '<login privateKey="[masked]" user="ann"/>'],
    [
      '--x\r\nContent-Disposition: form-data; name="signature"\r\n\r\nabc\r\n--x--',
      '--x\r\nContent-Disposition: form-data; name="signature"\r\n\r\n[masked]\r\n--x--',
    ],
    ['{"idNo":"12345678901"}', '{"idNo":"****8901"}'],
    ['shipping: by land; spinning: yes', 'shipping: by land; spinning: yes'],
  ])('%s', (given, wanted) => {
    expect(shown(given)).toBe(wanted);
  });
});

describe('by form', () => {
  it.each([
    ['sent Bearer abc.def-ghi, then', 'sent Bearer [masked], then'],
    ['sent basic dXNlcjpwYXNz then', 'sent basic [masked] then'],
    ['a eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.c2ln b', 'a [masked] b'],
    ['x\n-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\ny', 'x\n[masked]\ny'],
    ['x -----BEGIN RSA PRIVATE KEY-----\nMIIE', 'x [masked]'],
    ['key AKIAIOSFODNN7EXAMPLE here', 'key [masked] here'],
    ['keys bck_abc bcs_abc-d bcr_a.b', 'keys [masked] [masked] [masked]'],
    ['at https://ann:p@ss@bank.example/x', 'at https://[masked]@bank.example/x'],
    ['to TR33 0006 1005 1978 6457 8413 26 and on', 'to ****1326 and on'],
    ['to DE89370400440532013000.', 'to ****3000.'],
    ['no iban TR330006100519786457841327', 'no iban TR330006100519786457841327'],
    ['card 4111 1111 1111 1111, 5500005555555559', 'card ****1111, ****5559'],
    ['not 4111 1111 1111 1112, nor 1763727408000', 'not 4111 1111 1111 1112, nor 1763727408000'],
    ['of 10000000146 and 1234567890', 'of ****0146 and ****7890'],
    ['not 10000000147 nor 1234567891 nor 1234567890.55', 'not 10000000147 nor 1234567891 nor 1234567890.55'],
    ['{"n":10000000146}', '{"n":"****0146"}'],
    ['&#66;earer%20abcdef', '[masked]'],
  ])('%s', (given, wanted) => {
    const masked = shown(given);
    if (wanted === '[masked]') expect(masked).not.toContain('abcdef');
    else expect(masked).toBe(wanted);
  });
});

it('never throws, and shows nothing of a text it cannot search', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => typeof shown(text) === 'string'));
});
