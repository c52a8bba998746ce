import { sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { foldPerfect, leafOf } from "@/server/evidence/checkpoints/hashing";
import { readRoot } from "@/server/evidence/checkpoints/nodes";
import { checkpointOf, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { TILE_BYTES, TILE_WIDTH, TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { equalBytes, HASH_BYTES } from "@/server/evidence/tree/tree";

type Slice = { first: number; last: number };

const altered = (seq: number, expected: string, actual: string): Break =>
  breakOf({ seq, kind: "altered", expected, actual });

const hashesOf = (bytes: Uint8Array): Uint8Array[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));

/**
 * Whether each stored hash above the lowest level is that of the hashes below it, all of which must be there: the root is
 * made without them. Where not, the first entry below.
 */
async function foldLevels(tx: Tx, orgId: string): Promise<Break | null> {
  const rows = await rowsOf<{ level: number; idx: string; hash: Uint8Array; below: Uint8Array | null }>(
    tx,
    sql`SELECT p.level, p.idx, p.hash, (
        SELECT string_agg(c.hash, ''::bytea ORDER BY c.idx) FROM audit_tree_tiles c
        WHERE c.org_id = p.org_id AND c.level = p.level - 1
          AND c.idx BETWEEN p.idx * ${TILE_WIDTH} AND p.idx * ${TILE_WIDTH} + ${TILE_WIDTH - 1}) AS below
      FROM audit_tree_tiles p WHERE p.org_id = ${orgId} AND p.level > 0 ORDER BY p.level, p.idx`,
  );
  for (const { level, idx, hash, below } of rows) {
    const seq = Number(idx) * TILE_WIDTH ** (level + 1) + 1;
    const hashes = below ?? new Uint8Array();
    if (hashes.length !== TILE_BYTES) {
      const actual = `${hashes.length / HASH_BYTES} of them`;
      return { ...altered(seq, `${TILE_WIDTH} tiles below tile ${level}/${idx} of the tree`, actual), kind: "missing" };
    }
    if (!equalBytes(foldPerfect(hashes), hash))
      return altered(seq, `tile ${level}/${idx} of the tree, made of the tiles below it`, "another hash");
  }
  return null;
}

/** Whether the stored leaves of a slice are its rows' own, and their tiles' hashes made of them. */
async function compareLeaves(tx: Tx, orgId: string, { first, last }: Slice): Promise<Break | null> {
  const [from, to] = [Math.floor((first - 1) / TILE_WIDTH), Math.floor((last - 1) / TILE_WIDTH)];
  for (let idx = from; idx <= to; idx++) {
    const [tile] = await rowsOf<{ hash: Uint8Array; leaves: Uint8Array }>(
      tx,
      sql`SELECT hash, leaves FROM audit_tree_tiles WHERE org_id = ${orgId} AND level = 0 AND idx = ${idx}`,
    );
    if (!tile) continue; // not full yet, or zero: any other that is gone is missed by foldLevels() or by the root
    const leaves = hashesOf(tile.leaves);
    if (!equalBytes(foldPerfect(tile.leaves), tile.hash))
      return altered(idx * TILE_WIDTH + 1, `the hash of tile 0/${idx}, made of its leaves`, "another hash");
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
 * Whether the tree as it is stored still is the one that was signed: its tiles fold to the root of the checkpoint, and
 * the leaves of a slice are those of its rows.
 */
export function checkTiles(note: StoredNote, slice: Slice | null): Promise<Break[]> {
  const { orgId, size } = note;
  return asSystem(async (tx) => {
    const found = [await foldLevels(tx, orgId), slice && (await compareLeaves(tx, orgId, slice))];
    const root = await readRoot(tx, orgId, size).catch((error: unknown) => {
      if (error instanceof TreeDamage) return error;
      throw error;
    });
    if (root instanceof TreeDamage)
      found.push({ ...altered(size, `the tree of ${size} entries`, root.message), kind: "missing" });
    else if (!equalBytes(root, checkpointOf(note).root))
      found.push(altered(size, `the root that the checkpoint of ${size} entries signed`, "tiles that give another"));
    return found.filter((one) => one !== null);
  });
}
