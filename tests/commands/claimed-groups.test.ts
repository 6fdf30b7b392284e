import { describe, expect, it } from 'vitest';
import { openClaimedGroups } from '../../src/commands/claimed-groups.ts';
import { slotStamp } from '../../src/deciders/row-slots.ts';

const KEY = 'account/2025-03-03/C10';

describe('the slots that a sync remembers', () => {
  it.each([
    ['none', []],
    ['the first slot of one row', [[0, slotStamp(KEY, 0)]]],
    ['a later slot of one row', [[0, slotStamp(KEY, 12)]]],
    ['one row of several', [[1, slotStamp(KEY, 0)]]],
    [
      'two rows',
      [
        [0, slotStamp(KEY, 1)],
        [1, slotStamp(KEY, 0)],
      ],
    ],
    ['a stamp of a former version', [[0, 'a3f1']]],
    ['a stamp of a former version that is as long as one of a slot', [[0, `old:${KEY}/0`]]],
    ['a slot that another program wrote with a leading zero', [[0, `${slotStamp(KEY, 0)}0`]]],
  ] as [string, [number, string][]][])('are given back as they were kept: %s', (_, claims) => {
    const groups = openClaimedGroups();
    groups.keep(KEY, new Map(claims));
    expect([...groups.of(KEY)]).toEqual(claims);
  });

  it('are none of a group that was not kept', () => {
    expect(openClaimedGroups().of(KEY).size).toBe(0);
  });

  it('change only when they are kept', () => {
    const groups = openClaimedGroups();
    groups.keep(
      KEY,
      new Map([
        [0, slotStamp(KEY, 0)],
        [1, slotStamp(KEY, 1)],
      ]),
    );
    groups.of(KEY).set(2, slotStamp(KEY, 2));
    expect(groups.of(KEY).size).toBe(2);
  });

  it('are those of the groups that were kept last', () => {
    const groups = openClaimedGroups(2);
    for (const key of ['a', 'b', 'a', 'c']) groups.keep(key, new Map([[0, slotStamp(key, 0)]]));
    expect(groups.size).toBe(2);
    expect(['a', 'b', 'c'].filter((key) => groups.of(key).size > 0)).toEqual(['a', 'c']);
  });
});
