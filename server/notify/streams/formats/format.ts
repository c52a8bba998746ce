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

/**
 * Facts that let a receiver prove a batch complete, sent as its last line in every format. A heartbeat is sent when
 * idle, or with an entry ahead of its turn; its range is empty. digest: SHA-256 (hex) over `previous`, then each
 * sequence and checksum of the range, filtered entries included.
 */
export type BatchMarker = {
  type: "trailmark.batch" | "trailmark.heartbeat";
  batch: string;
  orgId: string;
  /** Creation time of the batch (ISO). */
  at: string;
  first: number;
  last: number;
  /** Number of entries sent, and filtered ones as [sequence, checksum]. */
  rows: number;
  filtered: [number, string][];
  /** Entries before `first` that retention removed unsent. */
  gap?: { first: number; last: number };
  previous: string | null;
  digest: string;
  /** Newest signed checkpoint of the chain as a note; null before the first. */
  checkpoint: string | null;
  /** Tree hashes (base64) before `first`, in a first batch that does not start with the log. */
  before?: string[];
  replay?: string;
};

/** Format of entries. To add one, export this from a file and add a line to FORMATS. */
export type Format = {
  /** Media type of a single line. */
  mediaType: string;
  /** An entry as one line without line feed. */
  entry: (entry: StreamedEntry) => string;
  /** Maximum filtered entries in a marker, for receivers that cut long lines. */
  maxFiltered?: number;
  /** A batch's marker as one line, recognizable by `verify-stream`. */
  marker: (marker: BatchMarker, origin: string) => string;
};
