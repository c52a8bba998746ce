import type { Break } from "@/server/evidence/chain/verifier";
import type { PruneReceipt } from "@/server/evidence/tree/statement";
import type { BundleRange } from "./format";

/** What a reader of evidence says about a file; the same words on the command line, on the page and in JSON. */

/** `empty` is `intact` of no entry; `unproven`: nothing contradicts, but a link to a trusted key is missing. */
type BundleStatus = "intact" | "empty" | "broken" | "unproven";

/** What retention was allowed to remove, by a signed receipt. */
type ReceiptShown = Omit<PruneReceipt, "origin">;

export type JudgedBundle = {
  status: BundleStatus;
  version: 2;
  /** Why it is unproven, a sentence each. */
  reasons: string[];
  /** What a reader must know before anything else: an open alarm, entries of the range that are gone. A sentence each. */
  warnings: string[];
  /** What a reader must know besides, a sentence each. */
  notices: string[];
  breaks: Break[];
  /** Null where the header itself is not of the format. */
  header: HeaderShown | null;
  /** Entries in the file: those of the range that was asked for. */
  rowsChecked: number;
  /** Entries of which the file holds a hash and nothing else. */
  hashesOnly: number;
  firstSeq: number | null;
  lastSeq: number | null;
  /** Times of the earliest and the latest entry in the file. */
  firstTime: string | null;
  lastTime: string | null;
  /** Whether no entry of the range is left out: proven by the tree, or the installation's signed word. */
  complete: "proven" | "attested" | null;
  /** The newest entry that a good signature covers: all are, or none. */
  anchoredThrough: number | null;
  checkpoint: { size: number; signedAt: string } | null;
  /** Verifier keys that signed: trusted ones where one was given, else those that the bundle names itself. */
  signedBy: string[];
  cosignedBy: { name: string; at: string }[];
  /** Whether the policy's quorum cosigned; null where no policy was given. */
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

/** The verdict as a person reads it. */
export const VERDICT_WORD = {
  intact: "Intact",
  empty: "Empty",
  broken: "Broken",
  unreadable: "Unreadable",
  unproven: "Not proven",
} as const;
