import { sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { causeOf, codeOf, messageOf } from "@/db/thrown";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { damagedTile } from "@/server/evidence/checkpoints/damaged-tile";
import { missingTile } from "@/server/evidence/checkpoints/frontier";
import { readRoot } from "@/server/evidence/checkpoints/nodes";
import { checkpointOf, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { firstBelow, TILE_WIDTH, TreeDamage } from "@/server/evidence/checkpoints/tiles";
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

/** Number of stored tiles over a slice, and the first that differs from its rows. */
async function compareInSql(
  tx: Tx,
  orgId: string,
  { first, last }: Slice,
): Promise<{ tiles: number; other: number | null }> {
  const [row] = await rowsOf<{ tiles: number; other: number | null }>(
    tx,
    // Retention may be removing the row before the slice, but its leaf stays.
    sql`SELECT count(*)::int AS tiles, min(idx) FILTER (WHERE stored IS DISTINCT FROM leaves OR unlinked)::float8 AS other
      FROM (
        SELECT t.idx, r.leaves, r.unlinked, substr(t.leaves,
          (greatest(${first - 1}::bigint - t.idx * ${TILE_WIDTH}, 0) * ${HASH_BYTES})::int + 1,
          ((least(${last}::bigint, (t.idx + 1) * ${TILE_WIDTH}) - greatest(${first - 1}::bigint, t.idx * ${TILE_WIDTH})) * ${HASH_BYTES})::int) AS stored
        FROM audit_tree_tiles t
        LEFT JOIN (
          SELECT (chain_seq - 1) / ${TILE_WIDTH} AS idx, string_agg(leaf, ''::bytea ORDER BY chain_seq) AS leaves, bool_or(unlinked) AS unlinked
          FROM (
            SELECT chain_seq, ${leaf("checksum")} AS leaf,
              prev_checksum IS DISTINCT FROM lag(checksum, 1, CASE WHEN ${leaf("prev_checksum")} = (
                SELECT substr(leaves, ${((first - 2) % TILE_WIDTH) * HASH_BYTES + 1}::int, ${HASH_BYTES}) FROM audit_tree_tiles
                WHERE org_id = ${orgId} AND level = 0 AND idx = ${tileOf(first - 1)}
              ) THEN prev_checksum END) OVER (ORDER BY chain_seq) AS unlinked
            FROM audit_logs WHERE org_id = ${orgId} AND chain_seq BETWEEN ${first} AND ${last}) own
          GROUP BY 1) r ON r.idx = t.idx
        WHERE t.org_id = ${orgId} AND t.level = 0 AND t.idx BETWEEN ${tileOf(first)} AND ${tileOf(last)}) compared`,
  );
  return row ?? { tiles: 0, other: null };
}

/** Rows per statement, which PostgreSQL sorts in memory. */
const ROWS_AT_ONCE = 128 * TILE_WIDTH;

async function compareIn(tx: Tx, orgId: string, { first, last }: Slice): Promise<Break | null> {
  for (let from = first; from <= last; from += ROWS_AT_ONCE) {
    const part = { first: from, last: Math.min(last, from + ROWS_AT_ONCE - 1) };
    const { tiles, other } = await compareInSql(tx, orgId, part);
    const isStored = tiles > tileOf(part.last) - tileOf(from);
    if (other === null && isStored) continue;
    const idx = other ?? tileOf(from);
    const seq = Math.max(from, firstBelow(0, idx));
    return altered(seq, `tile 0/${idx} of the tree, made of entries ${seq} and on`, isStored ? "another tile" : "none");
  }
  return null;
}

/** From decode() of a checksum that is not hexadecimal. */
const INVALID_PARAMETER_VALUE = "22023";

/**
 * Compares the rows of a slice with the leaves of full tiles, and each row's link with the row before it. Contents are not
 * read.
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
