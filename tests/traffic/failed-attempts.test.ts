import { describe, expect, it } from 'vitest';
import { createFailedAttempts, networkOf } from '../../src/traffic/failed-attempts.ts';
import { setClock } from '../support/small-reactor-services.ts';

function barredAfter(failures: number, clock = setClock('2026-01-05T10:00:10.000Z')) {
  const attempts = createFailedAttempts({ perMinute: 3, clock });
  for (let nth = 0; nth < failures; nth += 1) attempts.failed('10.0.0.1', `wrong-${nth}`);
  return { attempts, clock };
}

describe('failed attempts', () => {
  it('bar an address for the rest of the minute', () => {
    expect(barredAfter(2).attempts.barredFor('10.0.0.1', 'x')).toBeNull();
    const { attempts, clock } = barredAfter(3);
    expect(attempts.barredFor('10.0.0.1', 'x')).toBe(50);
    expect(attempts.barredFor('10.0.0.2', 'x')).toBeNull();
    clock.pass(50_000);
    expect(attempts.barredFor('10.0.0.1', 'x')).toBeNull();
  });

  it('do not lock out credentials that were right a moment ago', () => {
    const { attempts, clock } = barredAfter(0);
    attempts.succeeded('good');
    for (let nth = 0; nth < 3; nth += 1) attempts.failed('10.0.0.1', 'wrong');
    expect(attempts.barredFor('10.0.0.1', 'good')).toBeNull();
    expect(attempts.barredFor('10.0.0.1', 'other')).not.toBeNull();
    clock.pass(60_000);
    for (let nth = 0; nth < 3; nth += 1) attempts.failed('10.0.0.1', 'wrong');
    expect(attempts.barredFor('10.0.0.1', 'good')).not.toBeNull();
  });

  it('are none where what was right has only just ceased to be', () => {
    const { attempts } = barredAfter(0);
    attempts.succeeded('expired since');
    for (let nth = 0; nth < 9; nth += 1) attempts.failed('10.0.0.1', 'expired since');
    expect(attempts.barredFor('10.0.0.1', 'x')).toBeNull();
  });

  it('of countless addresses push out the oldest and no others', () => {
    const { attempts } = barredAfter(3);
    for (let nth = 0; nth < 9_999; nth += 1) attempts.failed(`host-${nth}`, 'wrong');
    expect(attempts.barredFor('10.0.0.1', 'x')).not.toBeNull();
    attempts.failed('one more', 'wrong');
    expect(attempts.barredFor('10.0.0.1', 'x')).toBeNull();
  });

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('of %s are those of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
