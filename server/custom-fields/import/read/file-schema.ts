import { z } from "zod";

/** Encodings, likeliest first. */
export const ENCODINGS = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "windows-1250",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "windows-1258",
  "windows-874",
  "iso-8859-2",
  "iso-8859-15",
  "koi8-r",
  "macintosh",
  "cp437",
  "cp850",
  "shift_jis",
  "euc-jp",
  "gb18030",
  "big5",
  "euc-kr",
] as const;
export type Encoding = (typeof ENCODINGS)[number];
export const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];
const QUOTES = ['"', "'"] as const;
export type Quote = (typeof QUOTES)[number];

/** wide: a row per computer. long: a row per computer, field and value. fields: definitions only. */
export const SHAPES = ["wide", "long", "fields", "rest"] as const;
export type Shape = (typeof SHAPES)[number];

/**
 * Format of a file, detected and then changed by a person. headerRow counts records from 1, 0 is no header; sheet is a
 * name (null: the first).
 */
const fileFormat = z.strictObject({
  kind: z.enum(["text", "workbook", "json"]),
  gzip: z.boolean(),
  encoding: z.enum(ENCODINGS),
  delimiter: z.enum(DELIMITERS),
  quote: z.enum(QUOTES).optional(),
  headerRow: z.int().min(0).max(100),
  shape: z.enum(SHAPES),
  sheet: z.string().max(255).nullable().optional(),
  /** True to include a workbook's hidden and filtered rows and columns. */
  withHidden: z.boolean().optional(),
  /** True once a person has chosen the header row. */
  isHeaderSaid: z.boolean().optional(),
});
export type FileFormat = z.output<typeof fileFormat>;

/** Changeable parts of a format. */
export const formatChange = fileFormat
  .pick({ encoding: true, delimiter: true, headerRow: true, shape: true, sheet: true, withHidden: true })
  .partial();
export type FormatChange = z.output<typeof formatChange>;

export type SheetInfo = { name: string; isHidden: boolean };
