import { sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { damagedTile } from "@/server/evidence/checkpoints/damaged-tile";
import { missingTile } from "@/server/evidence/checkpoints/frontier";
import { leafOf } from "@/server/evidence/checkpoints/hashing";
import { readRoot } from "@/server/evidence/checkpoints/nodes";
import { checkpointOf, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { TILE_WIDTH, TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { equalBytes, HASH_BYTES } from "@/server/evidence/tree/tree";

type Slice = { first: number; last: number };

const altered = (seq: number, expected: string, actual: string): Break =>
  breakOf({ seq, kind: "altered", expected, actual });

const hashesOf = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));

/** Compares the stored leaves of a slice with its rows. */
async function compareLeaves(tx: Tx, orgId: string, { first, last }: Slice): Promise<Break | null> {
  const [from, to] = [Math.floor((first - 1) / TILE_WIDTH), Math.floor((last - 1) / TILE_WIDTH)];
  for (let idx = from; idx <= to; idx++) {
    const [tile] = await rowsOf<{ leaves: Uint8Array }>(
      tx,
      sql`SELECT leaves FROM audit_tree_tiles WHERE org_id = ${orgId} AND level = 0 AND idx = ${idx}`,
    );
    if (!tile) continue; // Not full yet; any other missing tile is found by damagedTile() or the root.
    const leaves = hashesOf(tile.leaves);
    const rows = await rowsOf<{ seq: string; checksum: string }>(
      tx,
      sql`SELECT chain_seq AS seq, checksum FROM audit_logs
        WHERE org_id = ${orgId} AND chain_seq BETWEEN ${Math.max(first, idx * TILE_WIDTH + 1)}
          AND ${Math.min(last, (idx + 1) * TILE_WIDTH)} ORDER BY chain_seq`,
    );
    for (const { seq, checksum } of rows) {
      const leaf = leaves[(Number(seq) - 1) % TILE_WIDTH];
      if (!leaf || !equalBytes(leaf, leafOf(checksum)))
        return altered(Number(seq), `the leaf of entry ${seq} in tile 0/${idx}`, "the leaf of another entry");
    }
  }
  return null;
}

/**
 * Checks that the stored tree still folds to the signed root of the checkpoint.
 * @param leaves given to check them too: each tile against its leaves, and those of a slice against its rows
 */
export function checkTiles(note: StoredNote, leaves: { slice: Slice | null } | null): Promise<Break[]> {
  const { orgId, size } = note;
  return asSystem(async (tx) => {
    const tile = await damagedTile(tx, orgId, leaves ? "leaves" : "levels");
    const found = [tile ?? (leaves?.slice ? await compareLeaves(tx, orgId, leaves.slice) : null)];
    const root = await readRoot(tx, orgId, size).catch((error: unknown) => {
      if (error instanceof TreeDamage) return error;
      throw error;
    });
    if (root instanceof TreeDamage) found.push(missingTile(size, root));
    else if (!equalBytes(root, checkpointOf(note).root))
      found.push(altered(size, `the root that the checkpoint of ${size} entries signed`, "tiles that give another"));
    return found.filter((one) => one !== null);
  });
}
