import { sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { causeOf, codeOf, messageOf } from "@/db/thrown";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { damagedTile } from "@/server/evidence/checkpoints/damaged-tile";
import { missingTile } from "@/server/evidence/checkpoints/frontier";
import { foldPerfect } from "@/server/evidence/checkpoints/hashing";
import { readRoot } from "@/server/evidence/checkpoints/nodes";
import { checkpointOf, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { firstBelow, TILE_BYTES, TILE_WIDTH, TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { equalBytes, HASH_BYTES } from "@/server/evidence/tree/tree";

export type Slice = { first: number; last: number };

const altered = (seq: number, expected: string, actual: string): Break =>
  breakOf({ seq, kind: "altered", expected, actual });

/** Tile of an entry's leaf. */
const tileOf = (seq: number): number => Math.floor((seq - 1) / TILE_WIDTH);

/** Last entry below the full tiles of a tree of this size. */
export const fullTilesThrough = (size: number): number => size - (size % TILE_WIDTH);

/** The leaf of a checksum, as leafOf() makes it. */
const leaf = (column: "checksum" | "prev_checksum") => sql.raw(`sha256('\\x00'::bytea || decode(${column}, 'hex'))`);

/** leaves: recomputed from the rows of a slice, stored ones elsewhere; unlinked: first row that does not name the one before it. */
type RowTile = { idx: string; hash: Uint8Array; leaves: Uint8Array; unlinked: string | null };

/** Stored tiles over a slice. Retention may be removing the row before it, but its leaf stays. */
function readRowTiles(tx: Tx, orgId: string, { first, last }: Slice): Promise<RowTile[]> {
  return rowsOf<RowTile>(
    tx,
    sql`SELECT t.idx, t.hash, r.unlinked,
        substr(t.leaves, 1, (greatest(${first - 1}::bigint - t.idx * ${TILE_WIDTH}, 0) * ${HASH_BYTES})::int)
          || coalesce(r.leaves, '')
          || substr(t.leaves, (least(${last}::bigint - t.idx * ${TILE_WIDTH}, ${TILE_WIDTH}) * ${HASH_BYTES})::int + 1) AS leaves
      FROM audit_tree_tiles t
      LEFT JOIN (
        SELECT (chain_seq - 1) / ${TILE_WIDTH} AS idx, string_agg(${leaf("checksum")}, ''::bytea ORDER BY chain_seq) AS leaves,
          min(chain_seq) FILTER (WHERE prev_checksum IS DISTINCT FROM named) AS unlinked
        FROM (
          SELECT chain_seq, checksum, prev_checksum, lag(checksum, 1, CASE WHEN ${leaf("prev_checksum")} = (
              SELECT substr(leaves, ${((first - 2) % TILE_WIDTH) * HASH_BYTES + 1}::int, ${HASH_BYTES}) FROM audit_tree_tiles
              WHERE org_id = ${orgId} AND level = 0 AND idx = ${tileOf(first - 1)}
            ) THEN prev_checksum END) OVER (ORDER BY chain_seq) AS named
          FROM audit_logs WHERE org_id = ${orgId} AND chain_seq BETWEEN ${first} AND ${last}) own
        GROUP BY 1) r ON r.idx = t.idx
      WHERE t.org_id = ${orgId} AND t.level = 0 AND t.idx BETWEEN ${tileOf(first)} AND ${tileOf(last)}
      ORDER BY t.idx`,
  );
}

const isOfRows = ({ hash, leaves, unlinked }: RowTile): boolean =>
  unlinked === null && leaves.length === TILE_BYTES && equalBytes(foldPerfect(leaves), hash);

/** A megabyte of leaves, so that other work runs between two readings. */
const ROWS_AT_ONCE = 128 * TILE_WIDTH;

async function compareIn(tx: Tx, orgId: string, { first, last }: Slice): Promise<Break | null> {
  for (let from = first; from <= last; from += ROWS_AT_ONCE) {
    const part = { first: from, last: Math.min(last, from + ROWS_AT_ONCE - 1) };
    const fit = new Set((await readRowTiles(tx, orgId, part)).filter(isOfRows).map(({ idx }) => Number(idx)));
    for (let idx = tileOf(from); idx <= tileOf(part.last); idx++) {
      const seq = Math.max(from, firstBelow(0, idx));
      if (!fit.has(idx))
        return altered(seq, `tile 0/${idx} of the tree, made of entries ${seq} and on`, "another tile");
    }
  }
  return null;
}

/** From decode() of a checksum that is not hexadecimal. */
const INVALID_PARAMETER_VALUE = "22023";

/**
 * Compares the rows of a slice with the tree: their leaves must fold to the hashes of its full tiles, and each row must name
 * the checksum of the one before it. Contents are not read.
 */
export function compareLeaves(orgId: string, slice: Slice): Promise<Break | null> {
  return asSystem((tx) => compareIn(tx, orgId, slice)).catch((error: unknown) => {
    if (codeOf(causeOf(error)) !== INVALID_PARAMETER_VALUE) throw error;
    return altered(slice.first, "checksums", messageOf(causeOf(error)));
  });
}

/**
 * Checks that the stored tree still folds to the signed root of the checkpoint.
 * @param leaves given to check them too: each tile against its leaves, and those of a slice against its rows
 */
export async function checkTiles(note: StoredNote, leaves: { slice: Slice | null } | null): Promise<Break[]> {
  const { orgId, size } = note;
  const tree = await asSystem(async (tx) => {
    const found = [await damagedTile(tx, orgId, leaves ? "leaves" : "levels")];
    const root = await readRoot(tx, orgId, size).catch((error: unknown) => {
      if (error instanceof TreeDamage) return error;
      throw error;
    });
    if (root instanceof TreeDamage) found.push(missingTile(size, root));
    else if (!equalBytes(root, checkpointOf(note).root))
      found.push(altered(size, `the root that the checkpoint of ${size} entries signed`, "tiles that give another"));
    return found.filter((one) => one !== null);
  });
  if (tree.length > 0 || !leaves?.slice) return tree;
  const { first, last } = leaves.slice;
  const other = await compareLeaves(orgId, { first, last: Math.min(last, fullTilesThrough(size)) });
  return other ? [other] : [];
}
