import { Readable } from "node:stream";
import { type SQL, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import type { FieldValue } from "@/server/custom-fields/schema";
import type { Ctx } from "@/server/ground/context";
import { type Cell, toCsv } from "@/server/ground/csv";
import { savedAs, toBody } from "@/server/ground/download";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { rowsAtOnce } from "./decide/batch-size";
import { type LoadedPlan, loadPlan } from "./decide/load-plan";
import { leftOutSecrets } from "./map/mapping";
import { ROW_OUTCOME_LABELS, VALUE_CODES, VALUE_OUTCOME_LABELS } from "./outcome-schema";
import { isImportable, REASON_TITLE, sourceType, UNREADABLE_MARK } from "./plan-schema";
import { findImport, type ImportRecord, partnerScope } from "./record";
import { readRows, type Shown } from "./rows";

/** Layout of a row download. */
type Columns = { header: string[]; only: SQL; row: (shown: Shown) => Cell[] };

const asText = (value: FieldValue | null): string =>
  value === null ? "" : typeof value === "boolean" ? (value ? "Yes" : "No") : String(value);

/** All known about each row: the device's value against the file's, and contradicting rows. */
const outcomeColumns = (plan: LoadedPlan, found: ImportRecord): Columns => ({
  header: [
    "File",
    "Sheet",
    "Line",
    "Outcome",
    "Reason",
    "Other rows",
    "Applied",
    "Source device ID",
    "Hostname",
    "Device",
    "Device ID",
    ...plan.fields.flatMap(({ name }) => [name, `${name} (held)`, `${name} (new)`, `${name} (outcome)`]),
  ],
  only: sql``,
  row({ row, result }) {
    const { format } = found.files[result.fileNo] ?? {};
    const device = row.device ?? row.candidates.find(({ deviceId }) => deviceId === row.pickedDeviceId);
    return [
      row.file,
      (format?.kind === "workbook" && format.sheet) || "",
      row.line,
      ROW_OUTCOME_LABELS[row.outcome],
      row.reason ?? "",
      row.related.map(({ place, sourceId }) => `${place}${sourceId === null ? "" : ` (ID ${sourceId})`}`).join("; "),
      row.applied ? "yes" : "no",
      row.sourceId ?? "",
      row.hostname ?? "",
      device?.hostname ?? "",
      result.deviceId ?? row.pickedDeviceId ?? "",
      ...row.cells.flatMap(({ text, held, value, outcome, reason }) => [
        text,
        asText(held),
        asText(value),
        `${VALUE_OUTCOME_LABELS[outcome]}${reason === null ? "" : `: the value ${reason}`}`,
      ]),
    ];
  },
});

/** Spreadsheets and the importer read it as no value. */
const NO_VALUE = "#N/A";

/** Rows not fully applied, unchanged plus the reason, to be corrected and uploaded again. */
function rejectedColumns(plan: LoadedPlan, found: ImportRecord): Columns {
  const clearing = new Set(plan.fields.flatMap(({ column, clearBlank }) => (clearBlank ? column : [])));
  const leftOut = new Set(leftOutSecrets(found));
  const whyNot = ({ applied, outcome, reason }: Shown["row"]) => {
    if (applied) return [];
    return outcome === "unreadable"
      ? [`${UNREADABLE_MARK}it ${reason}. Correct the row, then empty this cell`]
      : [reason ?? ROW_OUTCOME_LABELS[outcome]];
  };
  return {
    header: [...found.columns.map((column) => column.title), REASON_TITLE],
    only: sql`AND (r.row_no > ${found.appliedThrough} OR strpos(r.codes, ${VALUE_CODES.invalid}) > 0
      OR NOT (r.outcome LIKE 'matched%' OR (r.outcome = 'ambiguous' AND r.picked_device_id IS NOT NULL)))`,
    row({ row, result: { cells } }) {
      const faults = row.cells.flatMap(({ reason }, i) =>
        reason === null ? [] : `${plan.fields[i]?.name ?? ""} ${reason}`,
      );
      // A missing value is written as no value, because a blank would clear the device's value. Secrets left out of the
      // import are left out of the file too; chosen ones are needed to upload it again.
      const known = found.columns.map((_, i) =>
        leftOut.has(i) ? "" : (cells[i] ?? (clearing.has(i) ? NO_VALUE : "")),
      );
      // Cells beyond the header come after the reason, which keeps its own column.
      return [...known, [...whyNot(row), ...faults].join("; "), ...cells.slice(known.length)];
    },
  };
}

/** Rows per read of a download; fewer if the file has many columns. */
const MAX_PAGE = 2000;
/** Name of a download: the import's first file name without extension, plus `what`. */
const fileNameOf = (found: ImportRecord, what: string): string =>
  `${
    (found.files[0]?.name ?? "import")
      .replace(/\.[a-z0-9]+$/i, "")
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 80) || "import"
  }-${what}.csv`;

type Download = { found: ImportRecord; plan: LoadedPlan; columns: Columns };

async function* pages(ctx: Ctx, { found, plan, columns }: Download): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // The byte order mark lets spreadsheets recognize UTF-8.
  yield encoder.encode(`\ufeff${toCsv([columns.header])}`);
  const limit = Math.min(MAX_PAGE, rowsAtOnce(found));
  for (let after = 0; ; ) {
    const rows = await tenant(ctx.scope, (tx) => readRows(tx, { plan, found }, { after, limit, only: columns.only }));
    if (rows.length > 0) yield encoder.encode(toCsv(rows.map(columns.row)));
    const last = rows.at(-1);
    if (!last || rows.length < limit) return;
    after = last.row.rowNo;
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
