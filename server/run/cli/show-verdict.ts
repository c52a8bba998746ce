import { messageOf } from "@/db/thrown";
import type { BundleRange } from "@/server/evidence/bundle/format";
import { type JudgedBundle, VERDICT_WORD } from "@/server/evidence/bundle/verdict";
import { type Break, MAX_BREAKS } from "@/server/evidence/chain/verifier";
import type { Trust } from "@/server/evidence/proofs/judge-proof";
import { windowText } from "@/server/evidence/tree/statement";
import { field, printNote, say, UsageError, visible } from "./command";

/** Options of `verify` for all file types. */
export type VerifyOptions = { trust: Trust; json: boolean };

/** Exit codes and words of verdicts, for bundles and entry proofs. */
export const EXIT_CODE = { intact: 0, empty: 0, broken: 1, unreadable: 2, unproven: 3 } as const;
/** A verdict as it is printed. */
export const wordOf = (status: keyof typeof EXIT_CODE): string => VERDICT_WORD[status].toUpperCase();

/** Breaks printed of a bundle's verdict. */
const MAX_BREAKS_SHOWN = 10;

function rangeText(range: BundleRange): string {
  if (range.kind === "whole") return "the whole log";
  if (range.kind === "sequence") return `sequences ${range.first} to ${range.last}`;
  return `${range.from ?? "the beginning"} to ${range.to ?? "the end"}`;
}

const COMPLETE = {
  proven: "proven: every entry of the range that the log still has",
  attested: "attested by the installation: the tree alone cannot prove it for a range of time",
};

function showEntries(verdict: JudgedBundle): void {
  const { rowsChecked, hashesOnly, firstSeq, lastSeq } = verdict;
  const span = firstSeq === null ? "" : `, sequence ${firstSeq} to ${lastSeq}`;
  field("Entries", `${rowsChecked} inside the range${span}`);
  field("Outside", `${hashesOnly} as hashes only`);
  if (verdict.firstTime) field("Times", `${verdict.firstTime} to ${verdict.lastTime}`);
  if (verdict.complete) field("Complete", COMPLETE[verdict.complete]);
}

function showSignatures(verdict: JudgedBundle, hasTrust: boolean): void {
  const { checkpoint, signedBy, receipt } = verdict;
  if (checkpoint) field("Checkpoint", `size ${checkpoint.size}, signed at ${checkpoint.signedAt}`);
  for (const key of signedBy) field("Signed by", hasTrust ? key : `${key} (named by the bundle itself)`);
  if (signedBy.length === 0) field("Signed by", "no key that counts");
  for (const { name, at } of verdict.cosignedBy) field("Cosigned", `${name} at ${at}`);
  if (verdict.quorum) field("Quorum", verdict.quorum);
  if (receipt)
    field("Retention", `through sequence ${receipt.through}, before ${receipt.before}, under ${windowText(receipt)}`);
}

/** First items, and the number of others. */
export function firstOf<T>(items: readonly T[], max: number, show: (item: T) => string): string[] {
  const more = items.length - max;
  return [...items.slice(0, max).map(show), ...(more > 0 ? [`and ${more} more`] : [])];
}

/**
 * Runs a command that judges files. An unreadable file or wrong usage is reported in words, and in JSON to a script that
 * asked for JSON.
 */
export async function judging(args: string[], judge: () => Promise<number>, more = {}): Promise<number> {
  try {
    return await judge();
  } catch (error) {
    if (args.includes("--json")) say(JSON.stringify({ status: "unreadable", reason: messageOf(error), ...more }));
    if (error instanceof UsageError) throw error;
    printNote(`UNREADABLE ${visible(messageOf(error))}`);
    return EXIT_CODE.unreadable;
  }
}

/** Breaks of a chain, the first ones in full. */
export function showBreaks({ breaks }: { breaks: readonly Break[] }): void {
  for (const { seq, id, kind, expected, actual } of breaks.slice(0, MAX_BREAKS_SHOWN)) {
    say(`  ${kind}${seq > 0 ? ` at sequence ${seq}` : ""}${id ? ` (entry ${id})` : ""}`);
    say(`    expected ${visible(expected)}`);
    say(`    found    ${visible(actual)}`);
  }
  const more = breaks.length - MAX_BREAKS_SHOWN;
  if (more > 0) say(`  and ${breaks.length < MAX_BREAKS ? "" : "at least "}${more} more`);
}

/** @param hasTrust whether a key or policy was given */
export function showVerdict(verdict: JudgedBundle, hasTrust: boolean): void {
  const { header, warnings } = verdict;
  say(`${wordOf(verdict.status)}: evidence bundle, version ${verdict.version}`);
  for (const warning of warnings) field("Warning", warning);
  if (header) {
    field("Of", `${header.organization} (${header.orgId})`);
    field("Log", header.origin);
    field("Range", rangeText(header.range));
    field("Created", header.createdAt);
  }
  showEntries(verdict);
  showSignatures(verdict, hasTrust);
  for (const reason of verdict.reasons) field("Not proven", reason);
  showBreaks(verdict);
  for (const notice of verdict.notices) field("Note", notice);
}
