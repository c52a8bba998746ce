import { messageOf } from "@/db/thrown";
import { isEntryProof } from "@/server/evidence/proofs/entry-proof";
import { type Command, printNote, readArgs, required, say, UsageError, visible } from "./command";
import { openFile, textOf } from "./read-bytes";
import { trustOf, trustOptions } from "./trust";
import { EXIT_CODE } from "./verdict-words";
import { readSince, verifyBundleFile } from "./verify-bundle";
import { verifyProofFile } from "./verify-proof";

/** Checks an evidence bundle or the proof of one entry on this machine alone: no configuration, database or network. */
export const verify: Command = {
  usage: "FILE [--key VERIFIER_KEY]... [--policy FILE] [--since NOTE] [--json]",
  summary:
    "check an evidence bundle or the proof of an entry; exit code 0 intact, 1 broken, 2 unreadable, 3 not proven",
  async run(args) {
    try {
      return await verifyFile(args);
    } catch (error) {
      // A script that asked for JSON gets it, also when it called the command wrongly.
      if (args.includes("--json")) say(JSON.stringify({ status: "unreadable", reason: messageOf(error), line: 0 }));
      if (error instanceof UsageError) throw error;
      printNote(`UNREADABLE ${visible(messageOf(error))}`);
      return EXIT_CODE.unreadable;
    }
  },
};

async function verifyFile(args: string[]): Promise<number> {
  const options = { ...trustOptions, since: { type: "string" }, json: { type: "boolean", default: false } } as const;
  const { values, positionals } = readArgs(args, options, 1);
  const file = required(positionals[0], "FILE");
  const trust = trustOf(values);
  const { json } = values;
  const since = readSince(values.since, trust);
  try {
    const { start, chunks } = await openFile(file);
    if (!isEntryProof(start.toString("utf8"))) return await verifyBundleFile(file, chunks, { trust, json, since });
    if (since) throw new UsageError("--since: the proof of an entry holds no proof from an older checkpoint.");
    return await verifyProofFile(file, textOf(chunks), { trust, json });
  } catch (error) {
    throw error instanceof UsageError ? error : new Error(`${file}: ${messageOf(error)}`);
  }
}
