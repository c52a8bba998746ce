import { Readable } from "node:stream";
import { type Tx, tenant } from "@/db/client";
import type { Ctx } from "@/server/ground/context";
import { toCsv } from "@/server/ground/csv";
import { savedAs, toBody } from "@/server/ground/download";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { rowsAtOnce } from "./decide/batch-size";
import { type LoadedPlan, loadPlan } from "./decide/load-plan";
import { type Columns, type Known, nameDevices, outcomeColumns, rejectedColumns } from "./download-columns";
import { isImportable, sourceType } from "./plan-schema";
import { findImport, type ImportRecord, partnerScope } from "./record";
import { loadHeldBefore } from "./run/held-before";
import { loadRowsAbout } from "./run/related-rows";
import { type ResultRow, readResults } from "./run/tables/results";

/** Rows per read of a download; fewer if the file has many columns. */
const MAX_PAGE = 2000;
/** Maximum of contradicting rows read for a page. */
const MAX_ABOUT = 20_000;
/** Name of a download: the import's first file name without extension, plus `what`. */
const fileNameOf = (found: ImportRecord, what: string): string =>
  `${
    (found.files[0]?.name ?? "import")
      .replace(/\.[a-z0-9]+$/i, "")
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 80) || "import"
  }-${what}.csv`;

const NOTHING: Known = { names: new Map(), held: () => null, about: new Map() };

async function lookUp(
  tx: Tx,
  ctx: Ctx,
  { plan, rows }: { plan: LoadedPlan; rows: readonly ResultRow[] },
): Promise<Known> {
  return {
    names: await nameDevices(tx, partnerScope(ctx).orgIds, rows),
    held: await loadHeldBefore(tx, plan, rows),
    about: await loadRowsAbout(tx, plan.importId, { rows, limit: MAX_ABOUT }),
  };
}

type Download = { found: ImportRecord; plan: LoadedPlan; columns: Columns };

async function* pages(ctx: Ctx, { found, plan, columns }: Download): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // The byte order mark lets spreadsheets recognize UTF-8.
  yield encoder.encode(`\ufeff${toCsv([columns.header])}`);
  const limit = Math.min(MAX_PAGE, rowsAtOnce(found));
  for (let after = 0; ; ) {
    const text = await tenant(ctx.scope, async (tx) => {
      const rows = await readResults(tx, found.id, { after, limit, only: columns.only });
      const known = columns.hasDevices ? await lookUp(tx, ctx, { plan, rows }) : NOTHING;
      after = rows.length < limit ? -1 : (rows.at(-1)?.rowNo ?? -1);
      return toCsv(rows.map((row) => columns.row(row, known)));
    });
    if (text) yield encoder.encode(text);
    if (after < 0) return;
  }
}

const CSV = "text/csv; charset=utf-8";

/**
 * Rows of an import's file as CSV with chosen columns, streamed page by page.
 * @throws AppError not_found; conflict without a plan, validation_failed for one with faults
 */
async function download(
  ctx: Ctx,
  { id, what, columnsOf }: { id: string; what: string; columnsOf: (plan: LoadedPlan, found: ImportRecord) => Columns },
): Promise<Response> {
  const scope = partnerScope(ctx);
  const download = await tenant(scope, async (tx) => {
    const found = await findImport(tx, ctx, id);
    const plan = await loadPlan(tx, found, scope);
    return { found, plan, columns: columnsOf(plan, found) };
  });
  return savedAs(fileNameOf(download.found, what), CSV, toBody(Readable.from(pages(ctx, download))));
}

/** CSV of every row with its outcome, streamed. @throws AppError not_found; conflict before anything is mapped. */
export const downloadOutcomes = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "stream",
  run: (ctx, { id }) => download(ctx, { id, what: "outcomes", columnsOf: outcomeColumns }),
});

/** CSV of rows not applied, in the original columns plus the reason, streamed. */
export const downloadRejected = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "stream",
  run: (ctx, { id }) => download(ctx, { id, what: "not-applied", columnsOf: rejectedColumns }),
});

/** CSV of location-scope and client-scope fields, to be created by hand as organization-level fields. */
export const downloadOutOfScope = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "stream",
  async run(ctx, { id }) {
    const found = await tenant(ctx.scope, (tx) => findImport(tx, ctx, id));
    const rows = found.columns
      .filter((column) => !isImportable(column))
      .map((column) => [
        column.title,
        column.declared?.scope,
        sourceType(column) ?? "",
        column.declared?.options?.join("|") ?? "",
        column.declared?.section ?? "",
      ]);
    const text = `\ufeff${toCsv([["Title", "Scope", "Type", "Options", "Section"], ...rows])}`;
    return savedAs(fileNameOf(found, "other-scopes"), CSV, text);
  },
});
