import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/log/embedded/file.ts';
import { createFreshRows } from '../../src/log/embedded/fresh-rows.ts';

function row(position: number, length = 10): Row {
  const data = 'x'.repeat(length);
  return { position, stream: 's-1', revision: 0, id: '', type: 'T', recorded_at: 0, metadata: '{}', data, digest: '' };
}

describe('the rows that a connection appended last', () => {
  it('are the ones after a position, and never others than those that were committed', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('commit' as const), rows: fc.integer({ min: 1, max: 900 }) }),
      fc.record({ kind: fc.constant('rollback' as const), rows: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('another' as const), rows: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constant('ask' as const), rows: fc.integer({ min: 0, max: 3_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const fresh = createFreshRows();
        const ours = new Set<number>();
        let end = 0;
        for (const { kind, rows } of steps) {
          const next = Array.from({ length: rows }, (_, at) => end + 1 + at);
          if (kind === 'commit' || kind === 'rollback') for (const position of next) fresh.note(row(position));
          if (kind === 'rollback') fresh.forget();
          if (kind === 'commit') fresh.committed();
          if (kind === 'commit') for (const position of next) ours.add(position);
          if (kind === 'commit' || kind === 'another') end += rows;
          for (const after of [end - rows, end - 1, end, Math.max(0, end - 2_500)]) {
            const found = fresh.after(after, 40)?.map(({ position }) => position);
            if (found === undefined) continue;
            expect(found).toEqual(Array.from(found, (_, at) => after + 1 + at));
            expect(found.length).toBeGreaterThan(0);
            expect(found.length).toBeLessThanOrEqual(40);
            expect(found.every((position) => ours.has(position))).toBe(true);
          }
          // What was committed last is here, so that a follower does not read the file.
          if (kind === 'commit') {
            const last = Math.min(rows, 40);
            expect(fresh.after(end - last, 40)?.map(({ position }) => position)).toEqual(next.slice(-last));
          }
        }
      }),
    );
  });

  it('are a bounded number of a bounded length', () => {
    const fresh = createFreshRows();
    for (let position = 1; position <= 10_000; position += 1) {
      fresh.note(row(position));
      fresh.committed();
    }
    const oldest = Array.from({ length: 10_000 }, (_, after) => after).find((at) => fresh.after(at, 1) !== undefined);
    expect(10_000 - (oldest ?? 0)).toBeLessThanOrEqual(2_000);
    for (let position = 10_001; position <= 10_020; position += 1) {
      fresh.note(row(position, 500_000));
      fresh.committed();
    }
    expect(fresh.after(10_015, 10)).toBeUndefined();
    expect(fresh.after(10_018, 10)).toHaveLength(2);
  });
});
