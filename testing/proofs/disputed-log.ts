import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { originOfOrg, ownKeys, signStatement } from "@/server/evidence/checkpoints/stored-note";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { formatVerifierKey, parseNote } from "@/server/evidence/tree/signed-note";
import { checkpointText } from "@/server/evidence/tree/statement";
import { rootOf } from "@/server/evidence/tree/tree";
import { askWitness } from "@/server/evidence/witnesses/ask";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { leavesOf, nodesOf, type RunningWitness, startWitness } from "./witness";

/** Gives this process its own data folder, and a policy with one running witness. */
export async function startOnlyWitness(): Promise<RunningWitness> {
  const dir = tempFolder();
  const file = join(dir, "policy");
  withSettings({ TRAILMARK_DATA_DIR: dir, TRAILMARK_WITNESS_POLICY_FILE: file });
  const running = await startWitness("auditor.example", ownKeys());
  const { name, key, url } = running.witness;
  writeFileSync(file, `witness ${name} ${formatVerifierKey(key)} ${url}\nquorum ${name}\n`);
  return running;
}

/**
 * Makes a witness cosign another log for an organization, as its earlier one.
 * @throws Error where the witness does not
 */
export async function showOther(witness: RunningWitness["witness"], orgId: string, size: number): Promise<void> {
  const root = rootOf({ sha256: noteTools.sha256, node: nodesOf(leavesOf("other ")) }, 0, size);
  const text = checkpointText({ origin: originOfOrg(orgId), size, root, signedAt: "2026-11-20T14:06:00.000Z" });
  const note = parseNote(signStatement(originOfOrg(orgId), text));
  if (!note) throw new Error("no note");
  const outcome = await askWitness(witness, { note, size, proofFrom: async () => [] }, { known: 0 });
  if (outcome.kind !== "cosigned") throw new Error(JSON.stringify(outcome));
}
