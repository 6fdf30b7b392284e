import { describe, expect, it } from 'vitest';
import { isTimeZone } from '../../src/shared/time-zone.ts';

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
});
