import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { type Break, breakOf } from "@/server/evidence/chain/verifier";
import { equalBytes, HASH_BYTES } from "@/server/evidence/tree/tree";
import { foldPerfect } from "./hashing";
import { firstBelow, TILE_BYTES, TILE_WIDTH } from "./tiles";

type Place = { level: number; idx: number };

/** Names a tile by its position and its entries. */
const nameOf = ({ level, idx }: Place): string =>
  `tile ${level}/${idx} of the tree (entries ${firstBelow(level, idx)} to ${firstBelow(level, idx + 1) - 1})`;

const otherHash = ({ level, idx }: Place, expected: string, actual = "another hash"): Break =>
  breakOf({ seq: firstBelow(level, idx), kind: "altered", expected, actual });

/**
 * Checks that each stored hash above the lowest level matches the hashes below, which must all exist: the root is
 * computed without them. If not, returns the first entry below.
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
    const place = { level, idx: Number(idx) };
    const hashes = below ?? new Uint8Array();
    if (hashes.length !== TILE_BYTES) {
      const actual = `${hashes.length / HASH_BYTES} of them`;
      return { ...otherHash(place, `${TILE_WIDTH} tiles below ${nameOf(place)}`, actual), kind: "missing" };
    }
    if (!equalBytes(foldPerfect(hashes), hash))
      return otherHash(place, `the hash of ${nameOf(place)}, made of the tiles below it`);
  }
  return null;
}

/** A megabyte of leaves, so that other requests get their turn between reads. */
const TILES_AT_ONCE = 128;

/** Checks each tile of the lowest level against its leaves, from which bundles and proofs are made. */
async function foldLeaves(tx: Tx, orgId: string): Promise<Break | null> {
  for (let after = -1; ; ) {
    const rows = await rowsOf<{ idx: string; hash: Uint8Array; leaves: Uint8Array }>(
      tx,
      sql`SELECT idx, hash, leaves FROM audit_tree_tiles
        WHERE org_id = ${orgId} AND level = 0 AND idx > ${after} ORDER BY idx LIMIT ${TILES_AT_ONCE}`,
    );
    const other = rows.find(({ hash, leaves }) => !equalBytes(foldPerfect(leaves), hash));
    const place = { level: 0, idx: Number(other?.idx) };
    if (other) return otherHash(place, `the hash of ${nameOf(place)}, made of its leaves`);
    if (rows.length < TILES_AT_ONCE) return null;
    after = Number(rows.at(-1)?.idx);
  }
}

/**
 * First tile whose hash does not match the level below.
 * @param of the tiles to check: those above the lowest level, or also the leaves
 */
export const damagedTile = async (tx: Tx, orgId: string, of: "levels" | "leaves" = "leaves"): Promise<Break | null> =>
  (of === "leaves" ? await foldLeaves(tx, orgId) : null) ?? foldLevels(tx, orgId);
