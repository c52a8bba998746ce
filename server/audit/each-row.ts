import { tenant } from "@/db/client";
import type { Ctx } from "../context";
import { countRows } from "./count";
import type { Place } from "./cursor";
import { conditionsOf, type Question } from "./filters";
import { ask } from "./list";
import { type EntryRow, newestRows, rowsOf } from "./row-query";
import { findKeys } from "./search-keys";

/** Rows held in memory at a time: what is read goes on before the next is read. */
const CHUNK_ROWS = 1_000;

/** Where a reader stands: the keys that the index found, or the place of the last row read along the table. */
async function readChunk(ctx: Ctx, question: Question, after: Place | undefined, limit: number): Promise<EntryRow[]> {
  return tenant(ctx.scope, async (tx) => {
    const { orgIds } = await ask(tx, ctx, {});
    return newestRows(tx, orgIds, { conditions: conditionsOf(question), after, limit });
  });
}

/**
 * The newest rows that meet a question, chunk after chunk, by the same conditions as the lists: so an export equals its
 * screen and a report its rows. Each chunk has a transaction of its own: a slow reader holds no connection.
 * @param max at most so many rows in all
 */
export async function* eachChunk(ctx: Ctx, question: Question, max: number): AsyncGenerator<EntryRow[]> {
  const keys = await tenant(ctx.scope, async (tx) => {
    const asked = await ask(tx, ctx, question);
    return asked.needle ? (await findKeys(tx, asked, { after: undefined, need: max })).keys.slice(0, max) : null;
  });
  if (keys) {
    for (let at = 0; at < keys.length; at += CHUNK_ROWS)
      yield await tenant(ctx.scope, (tx) => rowsOf(tx, keys.slice(at, at + CHUNK_ROWS)));
    return;
  }
  let after: Place | undefined;
  for (let left = max; left > 0; ) {
    const limit = Math.min(CHUNK_ROWS, left);
    const rows = await readChunk(ctx, question, after, limit);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (rows.length < limit || !last) return;
    after = { ms: last.ms, seq: last.chain_seq, orgId: last.org_id };
    left -= rows.length;
  }
}

/** How many rows meet a question in all. */
export const countMatches = (ctx: Ctx, question: Question): Promise<number> =>
  tenant(ctx.scope, async (tx) => countRows(tx, await ask(tx, ctx, question)));
