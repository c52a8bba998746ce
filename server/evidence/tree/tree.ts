/**
 * Merkle tree over one organization's chain: RFC 6962 hashing with SHA-256, leaf `chainSeq − 1` over the 32 bytes of
 * the row's checksum. Pure and isomorphic: SHA-256 is passed in, hashes come from a NodeSource, and no recursion
 * depends on input. Proof algorithms: RFC 9162, sections 2.1.3 and 2.1.4.
 */

export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** A perfect subtree of 2^height leaves, the index-th of that height from the left. */
export type NodeId = { height: number; index: number };

/** Hash of a perfect subtree whose leaves all exist. */
export type NodeSource = (id: NodeId) => Uint8Array;

/** A tree as its hash function and its nodes. */
export type Tree = { sha256: Sha256; node: NodeSource };

export const HASH_BYTES = 32;
/** Maximum number of hashes in a proof: 2^53 leaves. */
export const MAX_PROOF_HASHES = 64;

const LEAF = 0;
const NODE = 1;

/** @param checksum the row's checksum, 32 bytes */
export function leafHash(sha256: Sha256, checksum: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + HASH_BYTES);
  bytes[0] = LEAF;
  bytes.set(checksum, 1);
  return sha256(bytes);
}

/** Hash of an inner node over its two children. */
export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES);
  bytes[0] = NODE;
  bytes.set(left, 1);
  bytes.set(right, 1 + HASH_BYTES);
  return sha256(bytes);
}

/** The root of a tree without leaves. */
export const emptyRoot = (sha256: Sha256): Uint8Array => sha256(new Uint8Array());

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

const isOdd = (n: number): boolean => n % 2 === 1;
const half = (n: number): number => Math.floor(n / 2);

/** Largest power of two below n ≥ 2, where RFC 6962 splits a tree of n leaves. */
function splitOf(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/**
 * Fewest perfect subtrees that cover the leaves begin … end − 1, left to right: at each position the largest aligned
 * power of two that fits.
 */
export function decompose(begin: number, end: number): NodeId[] {
  const parts: NodeId[] = [];
  for (let at = begin; at < end; ) {
    let [height, width] = [0, 1];
    while (at % (width * 2) === 0 && at + width * 2 <= end) {
      width *= 2;
      height++;
    }
    parts.push({ height, index: at / width });
    at += width;
  }
  return parts;
}

/** Root over adjacent subtrees of decreasing size, folding the rightmost pair first. */
function foldRight(sha256: Sha256, hashes: readonly Uint8Array[]): Uint8Array {
  const last = hashes.at(-1);
  if (!last) return emptyRoot(sha256);
  return hashes.slice(0, -1).reduceRight((root, hash) => nodeHash(sha256, hash, root), last);
}

/**
 * Root over the leaves begin … end − 1. Besides begin = 0, only the ranges that RFC 6962 splits off have one: begin is
 * a multiple of a power of two at least as wide as the range.
 */
export function rootOf({ sha256, node }: Tree, begin: number, end: number): Uint8Array {
  return foldRight(sha256, decompose(begin, end).map(node));
}

/** Path from a leaf to the root of a tree of `size` leaves, the leaf's neighbor first. */
export function inclusionProof(tree: Tree, index: number, size: number): Uint8Array[] {
  if (index >= size) throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
  const path: Uint8Array[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin);
    if (index < middle) {
      path.unshift(rootOf(tree, middle, end));
      end = middle;
    } else {
      path.unshift(rootOf(tree, begin, middle));
      begin = middle;
    }
  }
  return path;
}

/** Proof that the tree of `older` leaves is a prefix of the tree of `size`; empty for 0 and for equal sizes. */
export function consistencyProof(tree: Tree, older: number, size: number): Uint8Array[] {
  if (older > size) throw new RangeError(`a tree of ${older} is no beginning of one of ${size}`);
  if (older === 0 || older === size) return [];
  const proof: Uint8Array[] = [];
  let [begin, end] = [0, size];
  // Ends when `older` is the whole remainder: known to the asker while it starts at 0, otherwise it must be included.
  while (older < end) {
    const middle = begin + splitOf(end - begin);
    if (older <= middle) {
      proof.unshift(rootOf(tree, middle, end));
      end = middle;
    } else {
      proof.unshift(rootOf(tree, begin, middle));
      begin = middle;
    }
  }
  if (begin > 0) proof.unshift(rootOf(tree, begin, end));
  return proof;
}

/** Nodes read by a proof or a root, found by a dry run; for fetching them together. */
export function nodesRead(make: (tree: Tree) => unknown): NodeId[] {
  const read: NodeId[] = [];
  const nothing = new Uint8Array(HASH_BYTES);
  make({
    sha256: () => nothing,
    node: (id) => {
      read.push(id);
      return nothing;
    },
  });
  return read;
}

/** True if a leaf hash is at `index` in the tree of `size` leaves with this root (RFC 9162, 2.1.3.2). */
export function verifyInclusion(
  sha256: Sha256,
  {
    index,
    size,
    leaf,
    path,
    root,
  }: { index: number; size: number; leaf: Uint8Array; path: Uint8Array[]; root: Uint8Array },
): boolean {
  if (index >= size) return false;
  let [at, last, hash] = [index, size - 1, leaf];
  for (const neighbour of path) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      hash = nodeHash(sha256, neighbour, hash);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = nodeHash(sha256, hash, neighbour);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && equalBytes(hash, root);
}

/** True if the tree of `older` leaves is a prefix of the tree of `size` leaves (RFC 9162, 2.1.4.2). */
export function verifyConsistency(
  sha256: Sha256,
  input: { older: number; size: number; olderRoot: Uint8Array; root: Uint8Array; proof: Uint8Array[] },
): boolean {
  const { older, size, olderRoot, root, proof } = input;
  if (older > size) return false;
  if (older === size) return proof.length === 0 && equalBytes(olderRoot, root);
  if (older === 0) return proof.length === 0 && equalBytes(olderRoot, emptyRoot(sha256));
  const isPower = splitOf(older + 1) === older;
  const [first, ...rest] = isPower ? [olderRoot, ...proof] : proof;
  if (!first) return false;
  let [at, last] = [older - 1, size - 1];
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  let [olderHash, hash] = [first, first];
  for (const neighbour of rest) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      olderHash = nodeHash(sha256, neighbour, olderHash);
      hash = nodeHash(sha256, neighbour, hash);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = nodeHash(sha256, hash, neighbour);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && equalBytes(olderHash, olderRoot) && equalBytes(hash, root);
}

/** Computes the root from leaves and subtrees, left to right; memory grows with the logarithm of the size. */
export class TreeFold {
  readonly #parts: { height: number; hash: Uint8Array }[] = [];
  #size = 0;

  constructor(private readonly sha256: Sha256) {}

  get size(): number {
    return this.#size;
  }

  /** Adds the next perfect subtree; its position must be a multiple of its width, as from decompose(). */
  push(height: number, hash: Uint8Array): void {
    this.#size += 2 ** height;
    let [top, part] = [this.#parts.at(-1), { height, hash }];
    while (top && top.height === part.height) {
      this.#parts.pop();
      part = { height: part.height + 1, hash: nodeHash(this.sha256, top.hash, part.hash) };
      top = this.#parts.at(-1);
    }
    this.#parts.push(part);
  }

  root(): Uint8Array {
    return foldRight(
      this.sha256,
      this.#parts.map(({ hash }) => hash),
    );
  }
}
