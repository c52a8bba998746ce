import type { Tx } from "@/db/client";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { equalBytes, type NodeId, type NodeSource, nodesRead, rootOf, type Tree } from "@/server/evidence/tree/tree";
import { foldPerfect } from "./hashing";
import { checkpointOf, type StoredNote } from "./stored-note";
import { readTiles, TILE_HEIGHT, TILE_WIDTH, type TileSpan, type Tiles, TreeDamage } from "./tiles";

/** Source of the hashes below a node: leaves of one tile, or hashes of adjacent tiles. */
type Below = { height: number; first: number; count: number };

function below({ height, index }: NodeId): Below {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height % TILE_HEIGHT);
  return { height: level * TILE_HEIGHT, first: index * count, count };
}

const keyOf = ({ height, index }: NodeId): string => `${height}/${index}`;

function compute(tiles: Tiles, id: NodeId): Uint8Array {
  const { height, first, count } = below(id);
  const level = height / TILE_HEIGHT - 1;
  return foldPerfect(
    Buffer.concat(
      Array.from({ length: count }, (_, n) => (level < 0 ? tiles.leaf(first + n) : tiles.hash(level, first + n))),
    ),
  );
}

/**
 * Hashes of perfect subtrees of an organization's tree of `size` leaves, from stored tiles and the rows after the last
 * of them. At most five statements for any number of nodes; nodesRead() lists those of a proof.
 * @throws TreeDamage when a needed tile or row is missing
 */
export async function readNodes(
  tx: Tx,
  { orgId, size, ids }: { orgId: string; size: number; ids: readonly NodeId[] },
): Promise<NodeSource> {
  const outside = ids.find(({ height, index }) => (index + 1) * 2 ** height > size);
  if (outside) throw new RangeError(`node ${keyOf(outside)} is not in a tree of ${size}`);
  const leavesOf = new Set<number>();
  const spans: TileSpan[] = [];
  for (const { height, first, count } of ids.map(below)) {
    if (height === 0) leavesOf.add(Math.floor(first / TILE_WIDTH));
    else spans.push({ level: height / TILE_HEIGHT - 1, first, last: first + count - 1 });
  }
  const tiles = await readTiles(tx, orgId, { spans, leavesOf: [...leavesOf] });
  const hashes = new Map(ids.map((id) => [keyOf(id), compute(tiles, id)]));
  return (id) => {
    const hash = hashes.get(keyOf(id));
    if (!hash) throw new RangeError(`node ${keyOf(id)} was not read`);
    return hash;
  };
}

/**
 * Computes a proof or a root over the tree of `size` leaves, after reading the hashes it needs.
 * @throws TreeDamage
 */
export async function fromTree<T>(
  tx: Tx,
  { orgId, size }: { orgId: string; size: number },
  make: (tree: Tree) => T,
): Promise<T> {
  return make({ sha256, node: await readNodes(tx, { orgId, size, ids: nodesRead(make) }) });
}

/** Root of the tree of the first `size` leaves. @throws TreeDamage */
export const readRoot = (tx: Tx, orgId: string, size: number): Promise<Uint8Array> =>
  fromTree(tx, { orgId, size }, (tree) => rootOf(tree, 0, size));

/** True if the tree still has the root that a checkpoint of ours signed. */
export async function isTreeAsSigned(tx: Tx, note: StoredNote): Promise<boolean> {
  try {
    return equalBytes(await readRoot(tx, note.orgId, note.size), checkpointOf(note).root);
  } catch (error) {
    if (error instanceof TreeDamage) return false;
    throw error;
  }
}
