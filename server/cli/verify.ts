import { nodeBundleTools } from "@/server/audit/integrity/node-bundle-tools";
import { type BundleVerdict, verifyBundle } from "@/server/audit/integrity/verify-bundle";
import { isEntryProof } from "@/server/audit/tree/entry-proof";
import { formatVerifierKey } from "@/server/audit/tree/signed-note";
import { type Command, readArgs, required, say, tell, UsageError } from "./command";
import { linesOf, peek, readText } from "./read-lines";
import { trustOf, trustOptions } from "./trust";
import { type Asked, EXIT_CODE, WORD } from "./verdict-words";
import { verifyProofFile } from "./verify-proof";

/** As much of a file as tells what it is. */
const PROOF_START = 64;
const MAX_BREAKS_SHOWN = 10;

type Judged = Exclude<BundleVerdict, { status: "unreadable" }>;

function describeBreaks(verdict: Judged): void {
  for (const { seq, id, kind, expected, actual } of verdict.breaks.slice(0, MAX_BREAKS_SHOWN)) {
    say(`  ${kind} at sequence ${seq}${id ? ` (row ${id})` : ""}`);
    say(`    expected ${expected}`);
    say(`    found    ${actual}`);
  }
  const more = verdict.breaks.length - MAX_BREAKS_SHOWN;
  if (more > 0) say(`  and ${more} more`);
}

function describeAnchors(verdict: Judged, hasKeys: boolean): void {
  if (verdict.anchoredThrough === null) {
    say("No signed checkpoint covers these rows: whoever owns the database could have rewritten all of them alike.");
    return;
  }
  say(`Signed     through sequence ${verdict.anchoredThrough}, checkpoints: ${verdict.checkpoints}`);
  const keys = hasKeys ? "the given key" : `keys that the bundle itself names: ${verdict.header.publicKeys.join(" ")}`;
  say(`Signed by  ${keys}`);
  if (!hasKeys) say("           Compare them with those that the installation publishes, or give one with --key.");
}

function describe(verdict: Judged, hasKeys: boolean): void {
  say(`${WORD[verdict.status].padEnd(10)} ${verdict.header.organization} (${verdict.header.orgId})`);
  const span = verdict.firstSeq === null ? "" : `, sequence ${verdict.firstSeq} to ${verdict.lastSeq}`;
  say(`Rows       ${verdict.rowsChecked}${span}`);
  if (verdict.prunedPrefix)
    say(`Pruned     through sequence ${verdict.prunedPrefix.throughSeq}, by a receipt without signature`);
  describeAnchors(verdict, hasKeys);
  for (const reason of verdict.reasons) say(`Missing    ${reason}`);
  if (verdict.breaks.length > 0) describeBreaks(verdict);
  say("Note       Organization and times in the header are not signed in bundles of version 1.");
}

async function verifyBundleFile(file: string, pieces: AsyncIterable<string>, { trust, json }: Asked): Promise<number> {
  const trustedKeys = trust.logs.map(formatVerifierKey);
  let verdict: BundleVerdict;
  try {
    const given = trustedKeys.length > 0 ? { trustedKeys } : {};
    verdict = await verifyBundle(linesOf(pieces), nodeBundleTools, given);
  } catch (error) {
    verdict = { status: "unreadable", reason: (error as Error).message, line: 0 };
  }
  if (json) say(JSON.stringify(verdict));
  else if (verdict.status !== "unreadable") describe(verdict, trustedKeys.length > 0);
  if (verdict.status === "unreadable") {
    const at = verdict.line > 0 ? `line ${verdict.line}: ` : "";
    tell(`UNREADABLE ${file}: ${at}${verdict.reason}`);
    return EXIT_CODE.unreadable;
  }
  return EXIT_CODE[verdict.status];
}

/** Checks an evidence bundle or the proof of one entry on this machine alone: no configuration, database or network. */
export const verify: Command = {
  usage: "FILE [--key VERIFIER_KEY]... [--policy FILE] [--json]",
  summary:
    "check an evidence bundle or the proof of an entry; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  async run(args) {
    const options = { ...trustOptions, json: { type: "boolean" } } as const;
    const { values, positionals } = readArgs(args, options, 1);
    const file = required(positionals[0], "FILE");
    const trust = trustOf(values);
    const json = values.json ?? false;
    try {
      const { start, pieces } = await peek(readText(file), PROOF_START);
      if (isEntryProof(start)) return await verifyProofFile(file, pieces, { trust, json });
      if (trust.quorum)
        throw new UsageError("--policy: bundles of version 1 hold no cosignatures; use a policy with `quorum none`.");
      return await verifyBundleFile(file, pieces, { trust, json });
    } catch (error) {
      if (error instanceof UsageError) throw error;
      if (json) say(JSON.stringify({ status: "unreadable", reason: (error as Error).message }));
      tell(`UNREADABLE ${file}: ${(error as Error).message}`);
      return EXIT_CODE.unreadable;
    }
  },
};
