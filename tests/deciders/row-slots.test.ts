import { describe, expect, it } from 'vitest';
import { claimSlots, type GroupedRow, slotStamp, type TakenSlot } from '../../src/deciders/row-slots.ts';

const said = (text: string, over: Partial<GroupedRow> = {}) => ({
  contentHash: text,
  description: text,
  nameSurname: null,
  iban: null,
  ...over,
});
const row = (index: number, text: string, over: Partial<GroupedRow> = {}): GroupedRow => ({
  ...said(text, over),
  index,
});
const slot = (ordinal: number, text: string): TakenSlot => ({ ...said(text), stamp: slotStamp('g', ordinal) });

function slotsOf(size: number, rows: readonly GroupedRow[], taken: readonly TakenSlot[], claims = new Map()): string[] {
  claimSlots({ groupKey: 'g', size, rows, taken, claims });
  return rows.map(({ index }) => claims.get(index)?.replace('row:g/', '') ?? 'none');
}

describe('the slots of rows with one amount on one day', () => {
  it('are taken in order by rows that are new', () => {
    expect(slotsOf(2, [row(0, 'Ann'), row(1, 'Bob')], [])).toEqual(['0', '1']);
  });

  it('are found again by the content of the rows, in any order', () => {
    const taken = [slot(0, 'Ann'), slot(1, 'Bob')];
    expect(slotsOf(2, [row(0, 'Bob'), row(1, 'Ann')], taken)).toEqual(['1', '0']);
  });

  it('are found again when there are fewer rows than once were seen', () => {
    expect(slotsOf(1, [row(0, 'Bob')], [slot(0, 'Ann'), slot(1, 'Bob')])).toEqual(['1']);
  });

  it('stay two for equal rows, in one list or in two', () => {
    expect(slotsOf(2, [row(0, 'Fee'), row(1, 'Fee')], [])).toEqual(['0', '1']);
    expect(slotsOf(2, [row(0, 'Fee'), row(1, 'Fee')], [slot(0, 'Fee')])).toEqual(['0', '1']);
    const claims = new Map<number, string>();
    expect(slotsOf(2, [row(0, 'Fee')], [slot(0, 'Fee')], claims)).toEqual(['0']);
    expect(slotsOf(2, [row(1, 'Fee')], [slot(0, 'Fee')], claims)).toEqual(['1']);
  });

  it('are kept when the bank changes a row’s text and has no more rows than before', () => {
    expect(slotsOf(1, [row(0, 'Fee, corrected')], [slot(0, 'Fee')])).toEqual(['0']);
    expect(slotsOf(2, [row(0, 'quite another'), row(1, 'Bob')], [slot(0, 'Ann'), slot(1, 'Bob')])).toEqual(['0', '1']);
  });

  it('go to the row with the most similar content', () => {
    const taken = [slot(0, 'Ann'), slot(1, 'Bob')];
    expect(slotsOf(2, [row(0, 'from BOB: 1'), row(1, 'from ann')], taken)).toEqual(['1', '0']);
  });

  it('are not taken from a row that is in another list', () => {
    // The bank has two; the one that is recorded may be the other.
    expect(slotsOf(2, [row(1, 'Bob')], [slot(0, 'Ann')])).toEqual(['1']);
  });

  it('are shared by the wordings of one row', () => {
    expect(slotsOf(1, [row(0, 'Ann'), row(0, 'ANN / more')], [])).toEqual(['0', '0']);
  });

  it('may be those of an earlier version, under its stamps', () => {
    const former = { ...said('Ann'), stamp: 'content:abc:0' };
    expect(slotsOf(1, [row(0, 'Ann')], [former])).toEqual(['content:abc:0']);
    expect(slotsOf(2, [row(0, 'Ann'), row(1, 'Bob')], [former])).toEqual(['content:abc:0', '0']);
  });
});
