import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { auditPath, merkleRoot, rootFrom } from '../../src/audit/merkle.ts';

const leaves = Array.from({ length: 130 }, (_, nth) => hash('sha256', `leaf ${nth}`, 'buffer'));

/** RFC 6962, 2.1, as it is written there. */
function plainRoot(of: readonly Buffer[]): Buffer {
  if (of.length === 0) return hash('sha256', '', 'buffer');
  if (of.length === 1) return of[0] ?? Buffer.alloc(0);
  let at = 1;
  while (at * 2 < of.length) at *= 2;
  const both = [Buffer.of(1), plainRoot(of.slice(0, at)), plainRoot(of.slice(at))];
  return hash('sha256', Buffer.concat(both), 'buffer');
}

it('the root is that of RFC 6962 for any number of leaves, and each leaf leads to it', () => {
  for (let count = 0; count <= leaves.length; count += 1) {
    const some = leaves.slice(0, count);
    const root = merkleRoot(some.values()).toString('hex');
    expect([count, root]).toEqual([count, plainRoot(some).toString('hex')]);
    const last = count - 1;
    if (count > 0)
      expect(rootFrom(leaves[last] as Buffer, last, count, auditPath(some, last))?.toString('hex')).toBe(root);
  }
});
