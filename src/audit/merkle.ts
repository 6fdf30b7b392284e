import { hash } from 'node:crypto';

/** Merkle trees of RFC 6962, 2.1, over leaves that are hashed already. */

const NODE = Buffer.of(1);
const EMPTY = hash('sha256', Buffer.alloc(0), 'buffer');

function nodeOf(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([NODE, left, right]), 'buffer');
}

/** The largest power of two below n, for n from 2 on. */
function split(n: number): number {
  return 2 ** Math.floor(Math.log2(n - 1));
}

/** Takes each leaf once, in order, and keeps as many hashes as the tree is high. */
export function merkleRoot(leaves: Iterable<Buffer>): Buffer {
  // Whole trees, each of a power of two of the leaves and larger than the next.
  const trees: { readonly root: Buffer; readonly size: number }[] = [];
  for (const leaf of leaves) {
    let tree = { root: leaf, size: 1 };
    for (let left = trees.at(-1); left?.size === tree.size; left = trees.at(-1)) {
      trees.pop();
      tree = { root: nodeOf(left.root, tree.root), size: 2 * tree.size };
    }
    trees.push(tree);
  }
  const last = trees.pop()?.root ?? EMPTY;
  return trees.reduceRight((right, { root }) => nodeOf(root, right), last);
}

/** The audit path of RFC 6962, 2.1.1, from the leaf up. @throws RangeError for an index that is not in the tree */
export function auditPath(leaves: readonly Buffer[], index: number): Buffer[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length) throw new RangeError('no such leaf');
  if (leaves.length === 1) return [];
  const at = split(leaves.length);
  return index < at
    ? [...auditPath(leaves.slice(0, at), index), merkleRoot(leaves.slice(at))]
    : [...auditPath(leaves.slice(at), index - at), merkleRoot(leaves.slice(0, at))];
}

/** The root that a leaf and its audit path lead to; undefined for a path of the wrong length. */
export function rootFrom(leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer | undefined {
  if (index < 0 || index >= size) return undefined;
  if (size === 1) return path.length === 0 ? leaf : undefined;
  const sibling = path.at(-1);
  if (sibling === undefined) return undefined;
  const at = split(size);
  const inner = path.slice(0, -1);
  if (index < at) {
    const left = rootFrom(leaf, index, at, inner);
    return left === undefined ? undefined : nodeOf(left, sibling);
  }
  const right = rootFrom(leaf, index - at, size - at, inner);
  return right === undefined ? undefined : nodeOf(sibling, right);
}
