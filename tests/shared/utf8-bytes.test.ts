import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8Bytes } from '../../src/shared/utf8-bytes.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 5_000 }),
  // Also halves of surrogate pairs.
  fc.array(fc.nat(0xffff), { maxLength: 200 }).map((codes) => String.fromCharCode(...codes)),
  fc.constantFrom('', 'Çiğdem', '\uD800', 'a\uDC00b', '😀', '\uFEFFx'),
);

it('has the bytes of TextEncoder, in memory that can be handed over', () => {
  fc.assert(
    fc.property(text, (one) => {
      const bytes = utf8Bytes(one);
      expect(Buffer.compare(bytes, new TextEncoder().encode(one))).toBe(0);
      expect([bytes.byteOffset, bytes.buffer.byteLength]).toEqual([0, bytes.byteLength]);
    }),
    { numRuns: 1_000 },
  );
});
