import { z } from "zod";

/** Encodings that a file may be read in, the likeliest first. */
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

/** wide: a row per computer. long: a row per computer, field and value. fields: definitions alone. */
export const SHAPES = ["wide", "long", "fields", "rest"] as const;
export type Shape = (typeof SHAPES)[number];

/**
 * How a file is read: detected at first, then as a person changed it. headerRow counts records from 1, 0 says that there
 * is no header; sheet is a workbook's sheet by name (null: none is chosen, the first one is read).
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
  /** True where a person wants a workbook's hidden and filtered rows and columns too. */
  withHidden: z.boolean().optional(),
  /** True once a person has said which row is the header. */
  isHeaderSaid: z.boolean().optional(),
});
export type FileFormat = z.output<typeof fileFormat>;

/** What may be changed of a format. */
export const formatChange = fileFormat
  .pick({ encoding: true, delimiter: true, headerRow: true, shape: true, sheet: true, withHidden: true })
  .partial();
export type FormatChange = z.output<typeof formatChange>;

/** A sheet of a workbook. */
export type SheetInfo = { name: string; isHidden: boolean };
