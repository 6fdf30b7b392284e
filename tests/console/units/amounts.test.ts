import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../../console/src/api/exact-json.ts';
import { add, decimalText, negate, signOf } from '../../../console/src/format/decimal.ts';
import { formatMoney } from '../../../console/src/format/money.ts';

describe('amounts in the console', () => {
  it('keep digits that a floating point number would round', () => {
    const parsed = parseExactJson('{"amount":9007199254740993.01,"text":"12345678901234567890","count":12,"b":[-0.1]}');
    expect(parsed).toEqual({ amount: '9007199254740993.01', text: '12345678901234567890', count: 12, b: [-0.1] });
    expect(formatMoney('en', '9007199254740993.01', 'USD')).toBe('9,007,199,254,740,993.01\u00a0USD');
  });

  it('are read as JSON.parse reads, apart from long numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const json = JSON.stringify(value);
        const restored = JSON.stringify(parseExactJson(json), (_, one) => one);
        const numbers = /-?\d[\d.eE+-]{15,}/;
        if (!numbers.test(json)) expect(restored).toBe(json);
      }),
    );
  });

  it('are added exactly', () => {
    expect(add('0.1', '0.2')).toBe('0.3');
    expect(add('-1204.10', 1204.1)).toBe('0');
    expect(add(1e-7, 1e21)).toBe('1000000000000000000000.0000001');
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (one, other) => {
        expect(add(`${one}`, `${other}`)).toBe(`${one + other}`);
      }),
    );
  });

  it('are written without exponent, and know their sign', () => {
    expect(decimalText(1.5e-7)).toBe('0.00000015');
    expect(decimalText(1.5e21)).toBe('1500000000000000000000');
    expect([signOf('-0.00'), signOf('-0.01'), signOf(3)]).toEqual([0, -1, 1]);
    expect(negate('12.50')).toBe('-12.5');
  });

  it('have the digits of their currency, and more where there are more', () => {
    expect(formatMoney('en', '-1204.1', 'EUR')).toBe('\u22121,204.10\u00a0EUR');
    expect(formatMoney('tr', 12400, 'TRY', true)).toBe('+12.400,00\u00a0TRY');
    expect(formatMoney('en', 5300, 'JPY')).toBe('5,300\u00a0JPY');
    expect(formatMoney('en', '0.0015', 'EUR')).toBe('0.0015\u00a0EUR');
  });
});
