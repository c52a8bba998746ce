import { z } from "zod";
import { exportInput } from "@/server/audit/entries/export-schema";
import { EXPORT_FORMATS, FORMATS } from "@/server/audit/export-formats";
import { DAY_MS } from "@/server/ground/time/durations";
import { guid, isoTime, zoneName } from "@/server/ground/wire";

/** Limits of a caller's unfinished and kept exports. */
export const MAX_UNFINISHED = 3;
export const MAX_KEPT = 20;
/** A file is kept for this long. */
export const KEEP_MS = DAY_MS;
/** Maximum attempts by processes that take over an export. */
export const MAX_ATTEMPTS = 5;
/** Concurrent downloads per caller. */
export const DOWNLOAD_SLOTS = { kind: "downloads", max: 4, advice: "Wait until one of them has ended." };

const { shape } = exportInput;

/** Body of POST /audit-logs/exports: the body of POST /audit-logs/export, plus format and file name. */
export const createInput = z.strictObject({
  orgId: shape.orgId,
  filters: shape.filters,
  dateRange: shape.dateRange,
  format: z
    .enum(EXPORT_FORMATS)
    .default("csv")
    .describe(`How the file is written: ${EXPORT_FORMATS.map((one) => FORMATS[one].label).join("; ")}`),
  gzip: z.boolean().default(false).describe("Compresses the file"),
  timeZone: zoneName.default("UTC").describe("IANA name of the zone in which the file's name says the range"),
});

/** An export as shown to its requester. */
export const exportJob = z.strictObject({
  id: guid.describe("Identifies the export"),
  status: z
    .enum(["waiting", "running", "done", "failed"])
    .describe("waiting, running, done (the file can be downloaded) or failed (error says why; nothing is kept)"),
  format: z.enum(EXPORT_FORMATS).describe("Format of the file"),
  gzip: z.boolean().describe("True where the file is compressed"),
  fileName: z.string().describe("Name of the file: organization and range"),
  totalRows: z.int().nullable().describe("Entries that meet the filters; null until they are counted"),
  rowsDone: z.int().describe("Entries written so far"),
  sizeBytes: z.int().describe("Bytes written so far; the file's size once it is done"),
  sha256: z.string().nullable().describe("SHA-256 of the file in hexadecimal; null until it is done"),
  error: z.string().nullable().describe("Why it failed; else null"),
  createdAt: isoTime.describe("When it was asked for"),
  finishedAt: isoTime.nullable().describe("When it was done or failed; else null"),
  expiresAt: isoTime.describe("When it is deleted"),
});

/** The caller's exports, newest first. */
export const exportJobs = z.strictObject({ data: z.array(exportJob).describe("The exports, newest first") });

/** Path of a download, and the headers to resume one. */
export const downloadInput = z.strictObject({
  id: guid,
  range: z.string().max(200).optional().describe("One range of bytes, such as bytes=1000-, to resume a download"),
  ifRange: z.string().max(200).optional().describe("The ETag that the range is of; another one is answered whole"),
});
export type DownloadInput = z.output<typeof downloadInput>;
