import { nodeBundleTools } from "@/server/audit/integrity/node-bundle-tools";
import { type BundleVerdict, verifyBundle } from "@/server/audit/integrity/verify-bundle";
import { parseVerifierKey } from "@/server/audit/tree/signed-note";
import { type Command, readArgs, required, say, tell, UsageError } from "./command";
import { readLines } from "./read-lines";

/** What the exit code says. */
const INTACT = 0;
const BROKEN = 1;
const UNREADABLE = 2;
const UNPROVEN = 3;
const EXIT_CODE = { intact: INTACT, broken: BROKEN, unproven: UNPROVEN };
const WORD = { intact: "INTACT", broken: "BROKEN", unproven: "NOT PROVEN" };
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

/** Checks an evidence bundle on this machine alone: no configuration, no database, no network. */
export const verify: Command = {
  usage: "FILE [--key VERIFIER_KEY]... [--json]",
  summary: "check an evidence bundle; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  async run(args) {
    const options = { key: { type: "string", multiple: true }, json: { type: "boolean" } } as const;
    const { values, positionals } = readArgs(args, options, 1);
    const file = required(positionals[0], "FILE");
    const trustedKeys = values.key ?? [];
    const wrong = trustedKeys.find((key) => parseVerifierKey(nodeBundleTools.hash, key) === null);
    if (wrong !== undefined)
      throw new UsageError(
        `--key: "${wrong}" is not a verifier key (NAME+ID+BASE64), or its id is not the hash of its key.`,
      );
    let verdict: BundleVerdict;
    try {
      const given = trustedKeys.length > 0 ? { trustedKeys } : {};
      verdict = await verifyBundle(readLines(file), nodeBundleTools, given);
    } catch (error) {
      verdict = { status: "unreadable", reason: (error as Error).message, line: 0 };
    }
    if (values.json) say(JSON.stringify(verdict));
    else if (verdict.status !== "unreadable") describe(verdict, trustedKeys.length > 0);
    if (verdict.status === "unreadable") {
      const at = verdict.line > 0 ? `line ${verdict.line}: ` : "";
      tell(`UNREADABLE ${file}: ${at}${verdict.reason}`);
      return UNREADABLE;
    }
    return EXIT_CODE[verdict.status];
  },
};
