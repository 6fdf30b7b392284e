import { expect, it } from 'vitest';
import { dictionaryBytes, packText, unpackText } from '../../src/shared/packed-text.ts';

const TEXTS = 500;
const MOST_BYTES_A_TEXT = 4_096;

function textOf(number: number): string {
  return JSON.stringify({ number, name: `Customer Number ${number} GmbH`, text: 'Invoice of a customer. '.repeat(20) });
}

it('allocates for a packed text about as many bytes as the text has', () => {
  const dictionary = { number: 1, bytes: dictionaryBytes([textOf(0)]) };
  const before = process.memoryUsage().arrayBuffers;
  // Held, so that garbage collection does not change the result.
  const packed = Array.from({ length: TEXTS }, (_, number) => packText(textOf(number), dictionary));
  const after = process.memoryUsage().arrayBuffers;
  expect((after - before) / TEXTS).toBeLessThan(MOST_BYTES_A_TEXT);
  const texts = packed.map((bytes) => unpackText(bytes ?? new Uint8Array(), () => dictionary.bytes));
  expect(texts).toEqual(Array.from({ length: TEXTS }, (_, number) => textOf(number)));
});

it.each([1, 63, 64, 65, 20_000, 3_000_000])('packs and unpacks a text of %i characters', (length) => {
  const text = 'ab'.repeat(length).slice(0, length);
  const packed = packText(text, undefined);
  if (packed !== undefined) expect(unpackText(packed, () => undefined)).toBe(text);
});

it('packs a text that hardly gets shorter, of more than what is allocated at a time', () => {
  const text = Array.from({ length: 200_000 }, (_, at) => (Math.imul(at, 2_654_435_761) >>> 0).toString(36)).join('');
  const packed = packText(text, undefined);
  expect(unpackText(packed ?? new Uint8Array(), () => undefined)).toBe(text);
});
