import { sql } from "drizzle-orm";
import { hasAdmin, openAdmin } from "@/db/admin";
import { layout } from "@/db/citus/layout";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { isFiledRightly, NOTE_COLUMNS, type NoteRow } from "@/server/evidence/chain/note-signature";
import { readLatest } from "@/server/evidence/checkpoints/folder";
import { listRestorations, newestCheckpoint, newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { readOwnNote } from "@/server/evidence/checkpoints/stored-note";
import { isSuperseded } from "@/server/evidence/tree/statement";

/** A row beside a log that the product did not write, or that is missing. Does not affect verdicts. */
export type StrayRow = { orgId: string; what: string };

/** Notes of a log whose signatures are checked; restorations, receipts and the newest checkpoints first. */
const MAX_NOTES = 500;
/** Tolerated lead of a server's clock. */
const MAX_AHEAD_MS = 5 * 60_000;

type Tree = { orgId: string; pruned: number; hasTree: boolean; edgeHashes: number; isAhead: boolean };

/** Logs that have started, with their trees. */
const listTrees = (tx: Tx): Promise<Tree[]> =>
  rowsOf<Tree>(
    tx,
    sql`SELECT o.id AS "orgId", h.pruned_through_seq::float8 AS pruned, t.org_id IS NOT NULL AS "hasTree",
        coalesce(octet_length(t.edge), 0) / 32 AS "edgeHashes", EXISTS (
          SELECT FROM audit_tree_tiles f WHERE f.org_id = o.id AND f.level = 0 AND f.idx >= h.seq / 256) AS "isAhead"
      FROM ${layout().everyOne()} JOIN ${layout().headsOf(layout().everyOne())} h ON h.org_id = o.id
      LEFT JOIN audit_trees t ON t.org_id = o.id`,
  );

async function* strayNotes(tx: Tx, orgId: string, now: number): AsyncGenerator<string> {
  const rows = await rowsOf<NoteRow & { kind: string }>(
    tx,
    sql`SELECT kind, ${sql.raw(NOTE_COLUMNS)} FROM audit_notes WHERE org_id = ${orgId}
      ORDER BY kind DESC, size DESC, signed_at DESC LIMIT ${MAX_NOTES}`,
  );
  const isOurs = (row: NoteRow & { kind: string }): boolean => {
    const note = readOwnNote(orgId, row.note);
    return note !== null && note.kind === row.kind && isFiledRightly(row, note);
  };
  if (!rows.every(isOurs)) yield "notes that are altered or not ours";
  if (rows.some(({ filedMs }) => filedMs > now + MAX_AHEAD_MS)) yield "notes of the future";
}

async function* strayIn(tx: Tx, { orgId, pruned, hasTree, edgeHashes, isAhead }: Tree): AsyncGenerator<string> {
  // Reads the folder first, so that newer checkpoints are at least in the database.
  const kept = await readLatest(orgId);
  const newest = await newestCheckpoint(tx, orgId);
  yield* strayNotes(tx, orgId, Date.now());
  if (kept && kept.size > (newest?.size ?? 0) && !isSuperseded(kept, await listRestorations(tx, orgId)))
    yield "no note of the newest checkpoint";
  if (pruned > 0 && pruned > ((await newestReceipt(tx, orgId))?.size ?? 0)) yield "a head beyond every receipt";
  if (newest && !hasTree) yield "no row of the tree";
  if (edgeHashes > 0 && edgeHashes !== pruned % 256) yield "an edge that retention did not leave";
  if (isAhead) yield "tiles ahead of the log";
}

/** Logs with several heads; only the elevated role sees heads that are not the newest. */
async function listSecondHeads(): Promise<StrayRow[]> {
  if (!hasAdmin()) return [];
  const admin = openAdmin();
  const heads = sql`SELECT org_id AS "orgId", 'a second head' AS what FROM audit_chain_heads GROUP BY org_id HAVING count(*) > 1`;
  return admin.transaction((tx) => rowsOf<StrayRow>(tx, heads)).finally(admin.end);
}

/** Checks every log's notes, tree and head for foreign or missing rows. */
export async function listStrayRows(): Promise<StrayRow[]> {
  const found: StrayRow[] = [];
  for (const tree of await asSystem(listTrees))
    await asSystem(async (tx) => {
      for await (const what of strayIn(tx, tree)) found.push({ orgId: tree.orgId, what });
    });
  return [...found, ...(await listSecondHeads())];
}
