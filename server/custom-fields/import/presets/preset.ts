import { trimText, unwrapped } from "@/server/custom-fields/import/normalise";
import type { DateOrder } from "@/server/custom-fields/schema";
import { withoutGuard } from "@/server/ground/csv";
import { keysOf } from "@/server/ground/records";

/** Roles of a source column in matching rows to devices. */
export const IDENTIFIER_LABELS = {
  sourceId: "Source device ID",
  hostname: "Hostname",
  organization: "Organization",
  serial: "Serial number",
};
export const IDENTIFIERS = keysOf(IDENTIFIER_LABELS);
export type Identifier = (typeof IDENTIFIERS)[number];

/** Settings of one source product. A new product is a new file with one of these and a line in index.ts. */
export type Preset = {
  /** Stored with every recorded source device ID, so it must never change. */
  id: string;
  /** Names of the product in enrollments (sourceSystem, lowercase), including the id. */
  sourceNames: readonly string[];
  label: string;
  /** How to export the files from the product, in one or two sentences. */
  hint: string;
  /** The product's headers for each identifier, besides its own name. */
  aliases: Record<Identifier, readonly string[]>;
  /** Headers of the long shape: (computer, field, value). */
  fieldColumn: readonly string[];
  valueColumn: readonly string[];
  /** Members of a device's JSON with fields by name: {udf: {udf1: "A"}}. */
  nested: readonly string[];
  /** Columns in every export of the product that are not custom fields. */
  ignored: readonly string[];
  dateOrder: DateOrder;
  /** Cleans a cell: trimmed, the product's ways to write "nothing" as "". */
  cleanCell: (raw: string) => string;
};

/** Dates by which MySQL, .NET, Access, OLE and Excel mean none. */
const NO_DATE =
  /^(?:0000-00-00|0001-01-01|1899-12-30|1900-01-00|(?:0?1[-/.]0?1[-/.]0001)|(?:30[-/.]12|12[-/.]30)[-/.]1899|(?:0?0[-/.]0?1|0?1[-/.]0?0)[-/.]1900)(?:[ T].*)?$/;
const NOTHING = /^\(?null\)?$/i;
/** NULL in text exports of MySQL and PostgreSQL. */
const DUMPED_NULL = "\\N";

/** Cleaning common to all products; undoes the guards of our own downloads. */
export function cleanText(raw: string): string {
  const text = withoutGuard(trimText(unwrapped(trimText(raw))));
  return text === DUMPED_NULL || NOTHING.test(text) || NO_DATE.test(text) ? "" : text;
}
