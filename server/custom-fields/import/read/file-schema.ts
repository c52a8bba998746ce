import { z } from "zod";
import { keysOf } from "@/server/ground/records";

/** Encodings, likeliest first. */
export const ENCODING_LABELS = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16 LE",
  "utf-16be": "UTF-16 BE",
  "windows-1252": "Windows-1252 (Western)",
  "windows-1250": "Windows-1250 (Central European)",
  "windows-1251": "Windows-1251 (Cyrillic)",
  "windows-1253": "Windows-1253 (Greek)",
  "windows-1254": "Windows-1254 (Turkish)",
  "windows-1255": "Windows-1255 (Hebrew)",
  "windows-1256": "Windows-1256 (Arabic)",
  "windows-1257": "Windows-1257 (Baltic)",
  "windows-1258": "Windows-1258 (Vietnamese)",
  "windows-874": "Windows-874 (Thai)",
  "iso-8859-2": "ISO 8859-2 (Central European)",
  "iso-8859-15": "ISO 8859-15 (Western)",
  "koi8-r": "KOI8-R (Cyrillic)",
  macintosh: "Mac Roman",
  cp437: "DOS 437",
  cp850: "DOS 850 (Western)",
  shift_jis: "Shift-JIS (Japanese)",
  "euc-jp": "EUC-JP (Japanese)",
  gb18030: "GB 18030 (Chinese)",
  big5: "Big5 (Chinese)",
  "euc-kr": "EUC-KR (Korean)",
};
const ENCODINGS = keysOf(ENCODING_LABELS);
export type Encoding = (typeof ENCODINGS)[number];
export const DELIMITER_LABELS = { ",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Pipe" };
export const DELIMITERS = keysOf(DELIMITER_LABELS);
export type Delimiter = (typeof DELIMITERS)[number];
const QUOTES = ['"', "'"] as const;
export type Quote = (typeof QUOTES)[number];

/** wide: a row per computer. long: a row per computer, field and value. fields: definitions only. */
export const SHAPE_LABELS = {
  wide: "One row per computer",
  long: "One row per computer and field",
  fields: "A list of fields",
  rest: "REST dump",
};
export const SHAPES = keysOf(SHAPE_LABELS);
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
