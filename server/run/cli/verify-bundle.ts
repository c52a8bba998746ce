import { messageOf } from "@/db/thrown";
import { type KeptNote, readKeptNote } from "@/server/evidence/bundle/trust";
import { verifyBundle } from "@/server/evidence/bundle/verify";
import { nodeBundleTools } from "@/server/evidence/export/node-bundle-tools";
import type { Trust } from "@/server/evidence/proofs/judge-proof";
import { printNote, say, UsageError, visible } from "./command";
import { readText } from "./read-bytes";
import { showVerdict } from "./show-verdict";
import { EXIT_CODE, type VerifyOptions } from "./verdict-words";

/**
 * The checkpoint that --since names, held to those who are trusted.
 * @throws UsageError when the file holds none
 */
export function readSince(file: string | undefined, trust: Trust): KeptNote | null {
  if (file === undefined) return null;
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    throw new UsageError(`--since: ${file} cannot be read: ${messageOf(error)}.`);
  }
  const kept = readKeptNote(nodeBundleTools, text, trust);
  if (!kept) throw new UsageError(`--since: ${file} is not a signed checkpoint of a Trailmark log.`);
  return kept;
}

/** Judges an evidence bundle. @returns the exit code @throws Error when it cannot be read to its end */
export async function verifyBundleFile(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  { trust, json, since }: VerifyOptions & { since: KeptNote | null },
): Promise<number> {
  const verdict = await verifyBundle(chunks, nodeBundleTools, { trust, since });
  if (json) say(JSON.stringify(verdict));
  else if (verdict.status !== "unreadable") showVerdict(verdict, trust.logs.length > 0);
  if (verdict.status === "unreadable")
    printNote(`UNREADABLE ${visible(file)}: line ${verdict.line}: ${verdict.reason}`);
  return EXIT_CODE[verdict.status];
}
