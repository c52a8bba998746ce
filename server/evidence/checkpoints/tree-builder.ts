import type { Tx } from "@/db/client";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { HASH_BYTES, TreeFold } from "@/server/evidence/tree/tree";
import { foldPerfect, writeLeaf } from "./hashing";
import { type FullTile, readTiles, TILE_BYTES, TILE_HEIGHT, TILE_WIDTH, type TileSpan } from "./tiles";

/** Right edge of a tree for appending leaves: at most 255 hashes per level. */
export class TreeBuilder {
  #full: FullTile[] = [];
  #leaves = new Uint8Array(TILE_BYTES);
  #closed: Uint8Array | null = null;
  #size: number;
  /** Hashes of the tiles below, from level 1 up. */
  readonly #above: Uint8Array[][];

  /**
   * @param leaves leaf hashes after the last full tile
   * @param above for each level from 1 up, hashes of full tiles after the last full tile of that level
   */
  constructor(size = 0, leaves: readonly Uint8Array[] = [], above: readonly (readonly Uint8Array[])[] = []) {
    this.#size = size;
    this.#above = above.map((hashes) => [...hashes]);
    leaves.forEach((leaf, at) => {
      this.#leaves.set(leaf, at * HASH_BYTES);
    });
  }

  get size(): number {
    return this.#size;
  }

  /** Last leaf appended here or after the last full tile; null if there is none. */
  get lastLeaf(): Uint8Array | null {
    const open = this.#size % TILE_WIDTH;
    if (open > 0) return this.#leaves.slice((open - 1) * HASH_BYTES, open * HASH_BYTES);
    return this.#closed?.slice(-HASH_BYTES) ?? null;
  }

  /** Appends the next row by its checksum in hexadecimal. */
  append(checksum: string): void {
    const at = this.#size % TILE_WIDTH;
    writeLeaf(checksum, this.#leaves, at * HASH_BYTES);
    this.#size++;
    if (at < TILE_WIDTH - 1) return;
    const leaves = this.#leaves;
    this.#leaves = new Uint8Array(TILE_BYTES);
    this.#closed = leaves;
    this.#close(0, foldPerfect(leaves), leaves);
  }

  #close(level: number, hash: Uint8Array, leaves: Uint8Array | null): void {
    const idx = this.#size / TILE_WIDTH ** (level + 1) - 1;
    this.#full.push({ level, idx, hash, leaves });
    const siblings = this.#above[level] ?? [];
    this.#above[level] = siblings;
    siblings.push(hash);
    if (siblings.length < TILE_WIDTH) return;
    this.#above[level] = [];
    this.#close(level + 1, foldPerfect(Buffer.concat(siblings)), null);
  }

  /** Tiles completed since the last call. */
  takeFull(): FullTile[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  root(): Uint8Array {
    const fold = new TreeFold(sha256);
    for (let level = this.#above.length; level > 0; level--)
      for (const hash of this.#above[level - 1] ?? []) fold.push(level * TILE_HEIGHT, hash);
    for (const leaf of hashesIn(this.#leaves, this.#size % TILE_WIDTH)) fold.push(0, leaf);
    return fold.root();
  }
}

const hashesIn = (bytes: Uint8Array, count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, n) => bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES));

const range = <T>(first: number, count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => of(first + n));

/**
 * Reads the right edge of a tree of `size` leaves.
 * @throws TreeDamage when needed tiles or rows are missing
 */
export async function loadBuilder(tx: Tx, orgId: string, size: number): Promise<TreeBuilder> {
  const spans: TileSpan[] = [];
  for (let level = 0, tiles = Math.floor(size / TILE_WIDTH); tiles > 0; level++) {
    const behind = tiles % TILE_WIDTH;
    spans.push({ level, first: tiles - behind, last: tiles - 1 });
    tiles = Math.floor(tiles / TILE_WIDTH);
  }
  const open = size % TILE_WIDTH;
  const wanted = spans.filter(({ first, last }) => first <= last);
  const tiles = await readTiles(tx, orgId, {
    spans: wanted,
    leavesOf: open > 0 ? [Math.floor(size / TILE_WIDTH)] : [],
  });
  return new TreeBuilder(
    size,
    range(size - open, open, (index) => tiles.leaf(index)),
    spans.map(({ level, first, last }) => range(first, last - first + 1, (idx) => tiles.hash(level, idx))),
  );
}
