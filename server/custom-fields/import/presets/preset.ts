import { trimText, unwrapped } from "@/server/custom-fields/import/normalise";
import type { DateOrder } from "@/server/custom-fields/schema";
import { withoutGuard } from "@/server/ground/csv";

/** A source column's part in deciding which device a row is about. */
export const IDENTIFIERS = ["sourceId", "hostname", "organization", "serial"] as const;
export type Identifier = (typeof IDENTIFIERS)[number];

export const IDENTIFIER_LABELS: Record<Identifier, string> = {
  sourceId: "Source device ID",
  hostname: "Hostname",
  organization: "Organization",
  serial: "Serial number",
};

/**
 * What is particular to one source product. A new product is a new file with one of these and a line in index.ts.
 */
export type Preset = {
  /** Stored with every recorded source device ID; never change it. */
  id: string;
  /** What agents may call the product at enrolment (sourceSystem, lower case), the id among them. */
  sourceNames: readonly string[];
  label: string;
  /** How to get the files out of the product, in one or two sentences. */
  hint: string;
  /** Headers by which the product calls each identifier, besides the identifier's own name. */
  aliases: Record<Identifier, readonly string[]>;
  /** Headers of the long shape: (computer, field, value). */
  fieldColumn: readonly string[];
  valueColumn: readonly string[];
  /** Members of a device's JSON that hold its fields by name: {udf: {udf1: "A"}}. */
  nested: readonly string[];
  /** Columns that the product adds to every export and that are no custom fields. */
  ignored: readonly string[];
  dateOrder: DateOrder;
  /** A cell as the product means it: trimmed, its ways to say "nothing" as "". */
  cleanCell: (raw: string) => string;
};

/** Dates by which MySQL, .NET, Access, OLE and Excel say that none is set. */
const NO_DATE =
  /^(?:0000-00-00|0001-01-01|1899-12-30|1900-01-00|(?:0?1[-/.]0?1[-/.]0001)|(?:30[-/.]12|12[-/.]30)[-/.]1899|(?:0?0[-/.]0?1|0?1[-/.]0?0)[-/.]1900)(?:[ T].*)?$/;
const NOTHING = /^\(?null\)?$/i;
/** What MySQL and PostgreSQL write for nothing into a text file. */
const DUMPED_NULL = "\\N";

/** What every product's cells have in common; what our own downloads guarded is read as it was. */
export function cleanText(raw: string): string {
  const text = withoutGuard(trimText(unwrapped(trimText(raw))));
  return text === DUMPED_NULL || NOTHING.test(text) || NO_DATE.test(text) ? "" : text;
}
