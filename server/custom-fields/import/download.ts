import { sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import type { Ctx } from "@/server/context";
import { type Cell, toCsv } from "@/server/csv";
import { MASK } from "@/server/custom-fields/schema";
import { operation } from "@/server/operation";
import { idInput } from "@/server/wire";
import { invalidReason } from "./decide/decide-value";
import { type LoadedPlan, loadPlan } from "./decide/load-plan";
import { findImport, type ImportRecord, partnerScope } from "./find-import";
import { isImportable, sourceType } from "./map/column-schema";
import { type DeviceNames, nameDevices } from "./name-devices";
import { type ResultRow, readResults } from "./run/tables/results";
import {
  MATCHED_OUTCOMES,
  outcomeOfCode,
  REASON_TITLE,
  ROW_OUTCOME_LABELS,
  UNREADABLE_MARK,
  VALUE_CODES,
  VALUE_OUTCOME_LABELS,
} from "./schema";

/** Rows read at once for a download: it never holds more. */
const PAGE = 2000;
/** True for a row that the run has applied. */
const isApplied = (row: ResultRow, found: ImportRecord): boolean =>
  row.rowNo <= found.appliedThrough &&
  (MATCHED_OUTCOMES.includes(row.outcome) || (row.outcome === "ambiguous" && row.pickedDeviceId !== null));

type Columns = {
  header: string[];
  only: ReturnType<typeof sql>;
  row: (row: ResultRow, names: DeviceNames) => Cell[];
};

const fileNameOf = (found: ImportRecord, what: string): string =>
  `${
    (found.files[0]?.name ?? "import")
      .replace(/\.[a-z0-9]+$/i, "")
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 80) || "import"
  }-${what}.csv`;

/** Everything that is known of each row; values of secret fields are masked. */
function outcomeColumns(plan: LoadedPlan, found: ImportRecord): Columns {
  const { hostname } = plan.identifiers;
  const words = (row: ResultRow) =>
    plan.fields.map((field, i) => {
      const outcome = outcomeOfCode(row.codes[i] ?? VALUE_CODES.none);
      const text = row.cells[field.column] ?? "";
      return outcome === "invalid"
        ? `${VALUE_OUTCOME_LABELS.invalid}: ${invalidReason(field, text)}`
        : VALUE_OUTCOME_LABELS[outcome];
    });
  const values = (row: ResultRow) =>
    plan.fields.map((field) => (field.secret && row.cells[field.column] ? MASK : (row.cells[field.column] ?? "")));
  return {
    header: [
      "File",
      "Line",
      "Outcome",
      "Reason",
      "Applied",
      "Source device ID",
      "Hostname",
      "Device",
      "Device ID",
      ...plan.fields.flatMap((f) => [f.name, `${f.name} (outcome)`]),
    ],
    only: sql``,
    row: (row, names) => {
      const device = row.deviceId ?? row.pickedDeviceId;
      const [texts, outcomes] = [values(row), words(row)];
      return [
        found.files[row.fileNo]?.name ?? "",
        row.line,
        ROW_OUTCOME_LABELS[row.outcome],
        row.reason ?? "",
        isApplied(row, found) ? "yes" : "no",
        row.sourceId ?? "",
        hostname === null ? "" : (row.cells[hostname] ?? ""),
        (device && names.get(device)?.hostname) || "",
        device ?? "",
        ...texts.flatMap((text, i) => [text, outcomes[i]]),
      ];
    },
  };
}

/** The rows that were not applied, or not wholly, as they came, with the reason behind: to be corrected and uploaded again. */
function rejectedColumns(plan: LoadedPlan, found: ImportRecord): Columns {
  const faults = (row: ResultRow) =>
    plan.fields.flatMap((field, i) =>
      row.codes[i] === VALUE_CODES.invalid
        ? [`${field.name} ${invalidReason(field, row.cells[field.column] ?? "")}`]
        : [],
    );
  const chosen = new Set(plan.fields.map(({ column }) => column));
  const whyNot = (row: ResultRow) => {
    if (isApplied(row, found)) return [];
    return row.outcome === "unreadable"
      ? [`${UNREADABLE_MARK}it ${row.reason}. Correct the row, then empty this cell`]
      : [row.reason ?? ROW_OUTCOME_LABELS[row.outcome]];
  };
  return {
    header: [...found.columns.map((column) => column.title), REASON_TITLE],
    only: sql`AND (r.row_no > ${found.appliedThrough} OR strpos(r.codes, ${VALUE_CODES.invalid}) > 0
      OR NOT (r.outcome LIKE 'matched%' OR (r.outcome = 'ambiguous' AND r.picked_device_id IS NOT NULL)))`,
    row: (row) => {
      // Who left a secret out did not ask for it in a file either; one that was chosen must be there to come again.
      const cells = found.columns.map((column, i) => (column.secret && !chosen.has(i) ? "" : (row.cells[i] ?? "")));
      // What is beyond the header comes after the reason, so that the reason is always in its own column.
      return [...cells, [...whyNot(row), ...faults(row)].join("; "), ...row.cells.slice(cells.length)];
    },
  };
}

async function* pages(ctx: Ctx, found: ImportRecord, columns: Columns): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // By the mark spreadsheets recognise UTF-8.
  yield encoder.encode(`\ufeff${toCsv([columns.header])}`);
  for (let after = 0; ; ) {
    const text = await tenant(ctx.scope, async (tx) => {
      const rows = await readResults(tx, found.id, { after, limit: PAGE, only: columns.only });
      const names = await nameDevices(tx, partnerScope(ctx).orgIds, rows);
      after = rows.length < PAGE ? -1 : (rows.at(-1)?.rowNo ?? -1);
      return toCsv(rows.map((row) => columns.row(row, names)));
    });
    if (text) yield encoder.encode(text);
    if (after < 0) return;
  }
}

const csvResponse = (body: ReadableStream<Uint8Array> | string, name: string): Response =>
  new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    },
  });

const toStream = (source: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { value, done } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await source.return(undefined);
    },
  });

async function download(
  ctx: Ctx,
  { id, what, columnsOf }: { id: string; what: string; columnsOf: (plan: LoadedPlan, found: ImportRecord) => Columns },
): Promise<Response> {
  const scope = partnerScope(ctx);
  const { found, columns } = await tenant(scope, async (tx) => {
    const found = await findImport(tx, ctx, id);
    return { found, columns: columnsOf(await loadPlan(tx, found, scope), found) };
  });
  return csvResponse(toStream(pages(ctx, found, columns)), fileNameOf(found, what));
}

/** CSV of every row with its outcome, streamed. @throws AppError not_found; conflict before anything is mapped. */
export const downloadOutcomes = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "stream",
  run: (ctx, { id }) => download(ctx, { id, what: "outcomes", columnsOf: outcomeColumns }),
});

/** CSV of the rows that were not applied, in the original columns plus the reason, streamed. */
export const downloadRejected = operation({
  permission: "custom_fields:import",
  input: idInput,
  output: "stream",
  run: (ctx, { id }) => download(ctx, { id, what: "not-applied", columnsOf: rejectedColumns }),
});

/** CSV of the location-scope and client-scope fields, to be created by hand as organization-level fields. */
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
    return csvResponse(
      `\ufeff${toCsv([["Title", "Scope", "Type", "Options", "Section"], ...rows])}`,
      fileNameOf(found, "other-scopes"),
    );
  },
});
