import { describe, expect, it } from 'vitest';
import { day, flag, list, oneOf, searchOf, text, valuesOf } from '../../../console/src/address.ts';
import { localInput, momentOfInput } from '../../../console/src/frame/local-input.ts';

const SCHEMA = { q: text, from: day, incoming: flag, sort: oneOf(['amount', '-amount']), columns: list };

describe('filters in the address', () => {
  it('are read by the schema; what is none is left out', () => {
    const search = '?q=otto+gmbh&from=2026-02-30&incoming=false&sort=name&columns=day,amount&other=1';
    expect(valuesOf(SCHEMA, search)).toEqual({ q: 'otto gmbh', incoming: false, columns: ['day', 'amount'] });
  });

  it('are written beside what the schema does not know', () => {
    const changes = { q: 'a&b', incoming: undefined, from: '2026-09-01' };
    expect(searchOf(SCHEMA, '?asOf=2026-01-01&incoming=true', changes)).toBe(
      '?asOf=2026-01-01&q=a%26b&from=2026-09-01',
    );
    expect(searchOf(SCHEMA, '?q=1', { q: undefined })).toBe('');
  });
});

describe('a moment typed by the clock of a zone', () => {
  it.each([
    ['2026-09-03T14:00', 'Europe/Istanbul', '2026-09-03T11:00:00.000Z'],
    ['2026-03-29T01:59', 'Europe/Berlin', '2026-03-29T00:59:00.000Z'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-01-01T00:00', 'America/New_York', '2026-01-01T05:00:00.000Z'],
  ])('%s in %s is %s, and is shown so', (typed, zone, moment) => {
    expect(momentOfInput(typed, zone)).toBe(moment);
    expect(localInput(moment, zone)).toBe(typed);
  });

  it('is none for what is no date', () => {
    expect(momentOfInput('', 'UTC')).toBeNull();
  });
});
