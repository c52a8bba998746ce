import { z } from "zod";
import type { EntryRow } from "@/server/audit/query/rows";
import type { FullEntry } from "@/server/audit/schema";

/** An entry with names for the receiver that the list does not have. */
export type StreamedEntry = {
  entry: FullEntry;
  /** The stored row, covered by its checksum; `details` is the hashed text. */
  row: EntryRow;
  organization: { id: string; name: string; slug: string };
  /** Sealing time (ISO); null if unknown. */
  sealedAt: string | null;
  /** Public identity of the log: the origin of its checkpoints. */
  origin: string;
};

const checksum = z.string().regex(/^[0-9a-f]{64}$/);
const seq = z.int().positive();

/**
 * Facts that let a receiver prove a batch complete, sent as its last line in every format. A heartbeat is sent when
 * idle, or with an entry ahead of its turn; its range is empty. digest: SHA-256 (hex) over `previous`, then each
 * sequence and checksum of the range, filtered entries included.
 */
export const batchMarker = z.object({
  type: z.enum(["trailmark.batch", "trailmark.heartbeat"]),
  batch: z.string(),
  orgId: z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  /** Creation time of the batch (ISO). */
  at: z.string(),
  first: z.int(),
  last: z.int(),
  /** Number of entries sent, and filtered ones. */
  rows: z.int(),
  filtered: z.array(z.tuple([seq, checksum])),
  /** Entries before `first` that retention removed unsent. */
  gap: z.object({ first: seq, last: seq }).optional(),
  previous: checksum.nullable(),
  digest: checksum,
  /** Newest signed checkpoint of the chain as a note; null before the first. */
  checkpoint: z.string().nullable(),
  /** Tree hashes (base64) before `first`, in a first batch that does not start with the log. */
  before: z.array(z.string()).max(64).optional(),
  replay: z.string().optional(),
});
export type BatchMarker = z.output<typeof batchMarker>;

/** Format of entries. To add one, export this from a file and add a line to FORMATS. */
export type Format = {
  mediaType: string;
  /** An entry as one line without line feed. */
  entry: (entry: StreamedEntry) => string;
  /** Maximum filtered entries in a marker, for receivers that cut long lines. */
  maxFiltered?: number;
  /** A batch's marker as one line, recognizable by `verify-stream`. */
  marker: (marker: BatchMarker, origin: string) => string;
};
