import type { Break } from "@/server/evidence/chain/verifier";
import type { PruneReceipt } from "@/server/evidence/tree/statement";
import type { BundleRange } from "./format";

/** Wording of verdicts on evidence files; the same on the command line, on the page and in JSON. */

/** `empty`: intact without entries; `unproven`: no contradiction, but a link to a trusted key is missing. */
type BundleStatus = "intact" | "empty" | "broken" | "unproven";

/** Entries that a signed receipt allowed retention to remove. */
type ReceiptShown = Omit<PruneReceipt, "origin">;

export type JudgedBundle = {
  status: BundleStatus;
  version: 2;
  /** Reasons that it is unproven, one sentence each. */
  reasons: string[];
  /** Warnings to show first, such as an open alarm or lost entries of the range; one sentence each. */
  warnings: string[];
  /** Further notes for the reader, one sentence each. */
  notices: string[];
  breaks: Break[];
  /** Null if the header itself is malformed. */
  header: HeaderShown | null;
  /** Entries in the file, that is in the requested range. */
  rowsChecked: number;
  /** Entries of which the file has only a hash. */
  hashesOnly: number;
  firstSeq: number | null;
  lastSeq: number | null;
  /** Times of the earliest and latest entry in the file. */
  firstTime: string | null;
  lastTime: string | null;
  /** Guarantee that the range has no gaps: by the tree, or by the installation's signed word. */
  complete: "proven" | "attested" | null;
  /** Newest entry covered by a good signature: all are, or none. */
  anchoredThrough: number | null;
  checkpoint: { size: number; signedAt: string } | null;
  /** Verifier keys that signed: trusted ones if any were given, else those named by the bundle. */
  signedBy: string[];
  cosignedBy: { name: string; at: string }[];
  /** Whether the policy's quorum cosigned; null without a policy. */
  quorum: "met" | "not met" | null;
  receipt: ReceiptShown | null;
};

type HeaderShown = {
  origin: string;
  orgId: string;
  organization: string;
  range: BundleRange;
  createdAt: string;
  publicKeys: string[];
};

export type BundleVerdict = { status: "unreadable"; reason: string; line: number } | JudgedBundle;

/** Verdicts as people read them. */
export const VERDICT_WORD = {
  intact: "Intact",
  empty: "Empty",
  broken: "Broken",
  unreadable: "Unreadable",
  unproven: "Not proven",
} as const;
