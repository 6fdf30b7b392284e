import { afterEach, describe, expect, it, vi } from 'vitest';
import { isTimeZone } from '../../src/shared/time-zone.ts';

afterEach(() => vi.restoreAllMocks());

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Istanbul', 'Etc/GMT+3'])('is named by IANA: %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['+03:00', '+03:07', 'Mars/Olympus', '', 'Europe/Berlin; x'])(
    'is neither an offset nor made up: "%s"',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );

  it('is looked up once, since that costs more than an answer that asks for it', () => {
    const made = vi.spyOn(Intl, 'DateTimeFormat');
    for (let time = 0; time < 10; time += 1) expect(isTimeZone('Pacific/Chatham')).toBe(true);
    expect(made).toHaveBeenCalledTimes(1);
  });

  it('is told right however many are asked for', () => {
    const spellings = Array.from({ length: 600 }, (_, nth) =>
      [...'europe/berlin'].map((letter, at) => ((nth >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
    );
    for (const name of [...spellings, ...spellings]) expect(isTimeZone(name)).toBe(true);
    expect(isTimeZone('Europe/Nowhere')).toBe(false);
  });
});
