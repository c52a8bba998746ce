import { type SQL, sql } from "drizzle-orm";
import { textArray, uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { conditionsOf } from "./conditions";
import type { Plan, Total } from "./plan";
import { clauseOf, type IndexProbe } from "./probe";
import { allOf, INDEXED_THROUGH, rowsBetween } from "./rows";
import { BY_KIND_ALONE, type Shape, talliedCounts } from "./tallies";
import type { Text } from "./words";

/**
 * How many rows hold some texts, as a sum: by the tallies those that do by what they are; by the blocks' text, for each
 * choice of texts that what they are lacks, those that hold these in the text. Rows of blocks that cannot decide are left out.
 */
function textCount(orgIds: readonly string[], texts: readonly Text[], hasOthers: boolean): SQL {
  const kinds = sql`(SELECT DISTINCT t.value, split_part(t.value, E'\\x1d', 1) AS action, split_part(t.value, E'\\x1d', 2) AS resource_type,
      split_part(t.value, E'\\x1d', 3) AS actor_type, split_part(t.value, E'\\x1d', 4) AS result
    FROM audit_search_terms t WHERE t.org_id = ANY (${uuids(orgIds)}) AND t.kind = 'row') a`;
  const lines = Array.from({ length: 2 ** texts.length - 1 }, (_, choice) => {
    const isLacking = texts.map((__, i) => ((choice + 1) >> i) % 2 === 1);
    const lacking = texts.flatMap(({ text }, i) => (isLacking[i] ? [text] : []));
    const conditions = texts.map(({ inKind }, i) => (isLacking[i] ? sql`${inKind} IS NOT TRUE` : inKind));
    return sql`audit_search_count_lines(${uuids(orgIds)}, ${textArray(lacking)}, ${hasOthers},
      ARRAY(SELECT a.value FROM ${kinds} WHERE ${allOf(conditions)}))`;
  });
  const tallied = talliedCounts(orgIds, {}, { shape: BY_KIND_ALONE, conditions: texts.map(({ inKind }) => inKind) });
  return sql`(SELECT COALESCE(sum(n), 0) FROM (${tallied}) counts) + ${sql.join(lines, sql` + `)}`;
}

/**
 * How far each organization's blocks are counted, as rows `o(id, n)`. As far as the index had come when the tags of the
 * probe were looked up; texts alone need none, and their blocks are counted as far as it has come now.
 */
const countedThrough = (orgIds: readonly string[], probe: IndexProbe, texts: readonly Text[] | null): SQL =>
  texts
    ? sql`(SELECT o.id, i.through AS n FROM ${layout().eachOf(orgIds)}, ${INDEXED_THROUGH}) o`
    : layout().eachWith(probe.through);

/** By the blocks that can hold a match: their rows are checked, or, where texts are all that is asked for, these alone. */
function byIndex({ orgIds, filter }: Plan, { probe, texts }: Extract<Total, { by: "index" }>): SQL {
  const text = texts && textCount(orgIds, texts, !filter.phrase);
  // What the tallies have counted already.
  const counted = texts ? [sql`(${allOf(texts.map(({ inKind }) => inKind))}) IS NOT TRUE`] : [];
  const where = allOf([...counted, ...conditionsOf(filter)]);
  const chains = countedThrough(orgIds, probe, texts);
  return sql`WITH chains AS MATERIALIZED (SELECT o.id, o.n FROM ${chains})
      SELECT (${text ?? sql`0`}
      + (SELECT count(*) FROM audit_search_blocks(${uuids(orgIds)}, ${clauseOf(probe)}::jsonb, ${text !== null}, NULL) b
        JOIN chains o ON o.id = b.org_id AND b.first_seq <= o.n, LATERAL (
          SELECT * FROM audit_logs l WHERE l.org_id = b.org_id AND l.chain_seq BETWEEN b.first_seq AND b.last_seq OFFSET 0) a
        WHERE a.chain_seq <= o.n AND ${where})
      + (SELECT count(*) FROM chains o, ${rowsBetween(sql`o.n`)} WHERE ${where})
      )::float8 AS total`;
}

const byHeads = ({ orgIds }: Plan): SQL =>
  sql`SELECT COALESCE(sum(h.seq - h.pruned_through_seq), 0)::float8 AS total FROM audit_chain_heads_of(${uuids(orgIds)}) h`;

/** Along the index by time where there is a range. */
const byRows = ({ orgIds, filter }: Plan): SQL =>
  sql`SELECT count(*)::float8 AS total FROM ${layout().eachOf(orgIds)}
    JOIN audit_logs a ON a.org_id = o.id WHERE ${allOf(conditionsOf(filter))}`;

function byTallies(plan: Plan, shape: Shape): SQL {
  const counts = talliedCounts(plan.orgIds, plan.filter, { shape });
  return counts ? sql`SELECT COALESCE(sum(n), 0)::float8 AS total FROM (${counts}) counts` : byRows(plan);
}

function queryOf(plan: Plan): SQL {
  switch (plan.total.by) {
    case "heads":
      return byHeads(plan);
    case "tallies":
      return byTallies(plan, plan.total.shape);
    case "index":
      return byIndex(plan, plan.total);
    case "rows":
      return byRows(plan);
  }
}

/**
 * How many rows of some organizations answer a filter, exactly. Without filters the chain knows: its sequence has no
 * gaps, so head minus what was pruned is the count, at any length of history.
 */
export async function countRows(tx: Tx, plan: Plan): Promise<number> {
  if (plan.orgIds.length === 0) return 0;
  const [row] = await rowsOf<{ total: number }>(tx, queryOf(plan));
  return row?.total ?? 0;
}
