import { eq, sql } from "drizzle-orm";
import { ints } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { customFieldImports } from "@/db/schema";
import { evaluateRows } from "@/server/custom-fields/import/decide/evaluate";
import { loadPlan } from "@/server/custom-fields/import/decide/load-plan";
import { count } from "@/server/custom-fields/import/decide/tally";
import { ColumnWatch } from "@/server/custom-fields/import/map/guess-type";
import { withoutDevice } from "@/server/custom-fields/import/outcome-schema";
import type { SourceColumn } from "@/server/custom-fields/import/plan-schema";
import { presetOf } from "@/server/custom-fields/import/presets";
import { queueWork } from "@/server/custom-fields/import/queue-work";
import { type ImportRecord, toRecord } from "@/server/custom-fields/import/record/record";
import { partnerScope } from "@/server/custom-fields/import/record/scope";
import { isMoved, toResult } from "@/server/custom-fields/import/run/check";
import { type EditPart, writeCells } from "@/server/custom-fields/import/run/tables/edits";
import { readResults, replaceResult } from "@/server/custom-fields/import/run/tables/results";
import type { ImportSummary } from "@/server/custom-fields/import/schema";
import type { Ctx } from "@/server/ground/context";

/** Rows whose result is brought up to date at once; more of them are left to a new check. */
const MAX_AT_ONCE = 200;

/** The rows of a change and what they hold after it; null: no value. */
type Part = Pick<EditPart, "rowNos"> & { after: string | null };
type Change = { column: number; parts: readonly Part[]; edits: NonNullable<ImportSummary["edits"]> };

/** What is seen in a column now: counted again from its different values. */
async function profile(tx: Tx, found: ImportRecord, column: SourceColumn): Promise<SourceColumn> {
  const uses = await rowsOf<{ text: string; uses: number; line: number }>(
    tx,
    sql`
    SELECT cells ->> ${column.index}::int AS text, count(*)::int AS uses, min(line)::int AS line
    FROM custom_field_import_rows
    WHERE import_id = ${found.id}::uuid AND fault IS NULL AND cells ->> ${column.index}::int <> ''
    GROUP BY 1 ORDER BY 3`,
  );
  const watch = new ColumnWatch();
  for (const { text, uses: times, line } of uses) watch.add(text, line, times);
  return { ...column, ...watch.profile(column.rows, presetOf(found.source).dateOrder) };
}

/**
 * Decides the changed rows again, each on its own. A row in conflict stays so: whether it still is, all rows decide.
 * The counts of the check are brought up to date.
 * @returns false, with no result changed, where a row is about another device than before
 */
async function recheck(
  tx: Tx,
  ctx: Ctx,
  { found, rowNos }: { found: ImportRecord; rowNos: number[] },
): Promise<boolean> {
  const check = found.summary.check;
  if (!check) return true;
  const plan = await loadPlan(tx, found, partnerScope(ctx));
  const only = sql`AND r.row_no = ANY(${ints(rowNos)})`;
  const before = await readResults(tx, found.id, { after: 0, limit: rowNos.length, only });
  const rows = before.map((row) => ({ ...row, fault: null, picked: row.pickedDeviceId }));
  const changes = (await evaluateRows(tx, plan, { rows })).flatMap((row) => {
    const old = before.find(({ rowNo }) => rowNo === row.rowNo);
    if (!old) return [];
    const isDisputed = old.outcome === "identity_conflict";
    return [{ old, now: isDisputed ? { ...old, codes: withoutDevice(row.codes) } : toResult(row, old.pickedDeviceId) }];
  });
  if (changes.some(({ old, now }) => isMoved(old, now))) return false;
  for (const { old, now } of changes) {
    await replaceResult(tx, plan, now);
    count(check, old, -1);
    count(check, now);
  }
  return true;
}

/**
 * Writes the values of a change into the rows and says what follows from it: a few rows of a checked import are decided
 * again at once; many, those that are about another device by now, or a column that identifies computers, are left to a
 * new check, which is started.
 */
export async function applyEdit(
  tx: Tx,
  ctx: Ctx,
  { found, column, parts, edits }: Change & { found: ImportRecord },
): Promise<ImportRecord> {
  for (const { rowNos, after } of parts) await writeCells(tx, found.id, { column, rowNos, text: after });
  const rowNos = parts.flatMap((part) => part.rowNos);
  const columns = await Promise.all(found.columns.map((one) => (one.index === column ? profile(tx, found, one) : one)));
  const summary = { ...found.summary, edits };
  const changed = { ...found, columns, summary };
  const isIdentifier = found.plan !== null && Object.values(found.plan.identifiers).includes(column);
  const isFew = !isIdentifier && rowNos.length <= MAX_AT_ONCE;
  if (found.status === "checked" && !(isFew && (await recheck(tx, ctx, { found: changed, rowNos }))))
    return queueWork(tx, ctx, {
      found: changed,
      job: "check",
      also: { status: "staged", columns, orgIds: [...partnerScope(ctx).orgIds] },
    });
  const [row] = await tx
    .update(customFieldImports)
    .set({ columns, summary, updatedAt: ctx.now() })
    .where(eq(customFieldImports.id, found.id))
    .returning();
  return toRecord(row);
}
