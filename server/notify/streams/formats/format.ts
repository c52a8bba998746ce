import type { EntryRow } from "@/server/audit/query/rows";
import type { FullEntry } from "@/server/audit/schema";

/** An entry with the names that a receiver shows and the list does not carry. */
export type StreamedEntry = {
  entry: FullEntry;
  /** The row as stored: the values that its checksum covers, `details` as the text that was hashed. */
  row: EntryRow;
  organization: { id: string; name: string; slug: string };
  /** When the chain took it (ISO); null where that is not known. */
  sealedAt: string | null;
  /** Identifies the log to outsiders: the origin of its checkpoints. */
  origin: string;
};

/**
 * Facts about a batch that let its receiver prove it complete: sent as the batch's last line, in every format. A
 * heartbeat is sent while there is nothing to send, or with an entry ahead of its turn; its range is empty.
 * digest: SHA-256 (hex) over `previous`, then each sequence and checksum of the range, filtered entries included.
 */
export type BatchMarker = {
  type: "trailmark.batch" | "trailmark.heartbeat";
  batch: string;
  orgId: string;
  /** When the batch was put together (ISO). */
  at: string;
  first: number;
  last: number;
  /** Entries that were sent, and those that the filter left out, as [sequence, checksum]. */
  rows: number;
  filtered: [number, string][];
  /** Entries before `first` that retention removed before they were sent. */
  gap?: { first: number; last: number };
  previous: string | null;
  digest: string;
  /** The newest signed checkpoint of the chain as a note; null before the first one. */
  checkpoint: string | null;
  /** Hashes (base64) of the tree before `first`, in a stream's first batch where that is not the log's. */
  before?: string[];
  replay?: string;
};

/** One way to write entries down: another one is a file that exports this, and a line in FORMATS. */
export type Format = {
  /** Media type of a single line. */
  mediaType: string;
  /** An entry as one line without its line feed. */
  entry: (entry: StreamedEntry) => string;
  /** The most filtered entries that a marker may name, where receivers cut long lines. */
  maxFiltered?: number;
  /** A batch's marker as one line, recognizable by `verify-stream`. */
  marker: (marker: BatchMarker, origin: string) => string;
};
