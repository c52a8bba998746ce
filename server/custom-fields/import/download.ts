import { stringify } from "csv-stringify/sync";
import { sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import type { Ctx } from "@/server/context";
import { MASK } from "@/server/custom-fields/schema";
import { type Compiled, compile } from "./decide/compile";
import { findImport, type ImportRecord, partnerScope } from "./find-import";
import { isApplied, nameDevices, type ResultRow, readResults, reasonOf } from "./rows";
import {
  isImportable,
  outcomeOfCode,
  REASON_TITLE,
  ROW_OUTCOME_LABELS,
  sourceType,
  UNREADABLE_MARK,
  VALUE_CODES,
  VALUE_OUTCOME_LABELS,
} from "./schema";

/** Rows read at once for a download: it never holds more. */
const PAGE = 2000;
const toCsv = (rows: readonly (readonly unknown[])[]): string =>
  stringify(rows as unknown[][], { escape_formulas: true, record_delimiter: "\r\n" });

type Columns = {
  header: string[];
  only: ReturnType<typeof sql>;
  row: (row: ResultRow, names: Map<string, { hostname: string }>) => unknown[];
};

const fileNameOf = (found: ImportRecord, what: string): string =>
  `${
    (found.files[0]?.name ?? "import")
      .replace(/\.[a-z0-9]+$/i, "")
      .replace(/[^\w.-]+/g, "-")
      .slice(0, 80) || "import"
  }-${what}.csv`;

/** Everything that is known of every row; values of secret fields are masked. */
function outcomeColumns(c: Compiled, found: ImportRecord): Columns {
  const { hostname } = c.plan.identifiers;
  const words = (row: ResultRow) =>
    c.fields.map((field, i) => {
      const outcome = outcomeOfCode(row.v[i] ?? VALUE_CODES.none);
      const text = row.c[field.column] ?? "";
      return outcome === "invalid"
        ? `${VALUE_OUTCOME_LABELS.invalid}: ${reasonOf(field, text)}`
        : VALUE_OUTCOME_LABELS[outcome];
    });
  const values = (row: ResultRow) =>
    c.fields.map((field) => (field.secret && row.c[field.column] ? MASK : (row.c[field.column] ?? "")));
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
      ...c.fields.flatMap((f) => [f.name, `${f.name} (outcome)`]),
    ],
    only: sql``,
    row: (row, names) => {
      const device = row.d ?? row.p;
      const [texts, outcomes] = [values(row), words(row)];
      return [
        found.files[row.f]?.name ?? "",
        row.l,
        ROW_OUTCOME_LABELS[row.o],
        row.r ?? "",
        isApplied(row, found) ? "yes" : "no",
        row.s ?? "",
        hostname === null ? "" : (row.c[hostname] ?? ""),
        (device && names.get(device)?.hostname) || "",
        device ?? "",
        ...texts.flatMap((text, i) => [text, outcomes[i]]),
      ];
    },
  };
}

/** The rows that were not applied, or not wholly, as they came, with the reason behind: to be fixed and sent again. */
function rejectedColumns(c: Compiled, found: ImportRecord): Columns {
  const faults = (row: ResultRow) =>
    c.fields.flatMap((field, i) =>
      row.v[i] === VALUE_CODES.invalid ? [`${field.name} ${reasonOf(field, row.c[field.column] ?? "")}`] : [],
    );
  const whyNot = (row: ResultRow) => {
    if (isApplied(row, found)) return [];
    return row.o === "unreadable"
      ? [`${UNREADABLE_MARK}it ${row.r}. Put the row right, then empty this cell`]
      : [row.r ?? ROW_OUTCOME_LABELS[row.o]];
  };
  return {
    header: [...found.columns.map((column) => column.title), REASON_TITLE],
    only: sql`AND (r.row_no > ${found.appliedThrough} OR strpos(r.codes, ${VALUE_CODES.invalid}) > 0
      OR NOT (r.outcome LIKE 'matched%' OR (r.outcome = 'ambiguous' AND r.picked_device_id IS NOT NULL)))`,
    row: (row) => {
      const cells = found.columns.map((_, i) => row.c[i] ?? "");
      // What is beyond the header stands behind the reason, so that the reason is always in its own column.
      return [...cells, [...whyNot(row), ...faults(row)].join("; "), ...row.c.slice(cells.length)];
    },
  };
}

async function* pages(ctx: Ctx, found: ImportRecord, columns: Columns): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // The mark tells spreadsheets that this is UTF-8.
  yield encoder.encode(`\ufeff${toCsv([columns.header])}`);
  for (let after = 0; ; ) {
    const text = await tenant(ctx.scope, async (tx) => {
      const rows = await readResults(tx, found.id, after, PAGE, columns.only);
      const names = await nameDevices(tx, partnerScope(ctx).orgIds, rows);
      after = rows.length < PAGE ? -1 : (rows.at(-1)?.n ?? -1);
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
  id: string,
  what: string,
  columnsOf: (c: Compiled, found: ImportRecord) => Columns,
): Promise<Response> {
  const scope = partnerScope(ctx);
  const { found, columns } = await tenant(scope, async (tx) => {
    const found = await findImport(tx, ctx, id);
    return { found, columns: columnsOf(await compile(tx, found, scope), found) };
  });
  return csvResponse(toStream(pages(ctx, found, columns)), fileNameOf(found, what));
}

/** CSV of every row with its outcome, streamed. @throws AppError not_found; conflict before anything is mapped. */
export const downloadOutcomes = (ctx: Ctx, { id }: { id: string }) => download(ctx, id, "outcomes", outcomeColumns);

/** CSV of the rows that were not applied, in the original columns plus the reason, streamed. */
export const downloadRejected = (ctx: Ctx, { id }: { id: string }) => download(ctx, id, "not-applied", rejectedColumns);

/** CSV of the location-scope and client-scope fields, to be made by hand as organization-level fields. */
export async function downloadOutOfScope(ctx: Ctx, { id }: { id: string }): Promise<Response> {
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
}
