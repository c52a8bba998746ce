import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@/db/thrown";
import { DEAD_LETTER_FILE } from "@/server/audit/record/dead-letters";
import { signerName, signingKeys, vkeyOf } from "@/server/evidence/chain/signing-key";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import { env } from "@/server/ground/env";
import type { Finding } from "./finding";

/** More waits only while the database is away. */
const MUCH_SPOOL_BYTES = 64 * 1024 * 1024;
const OTHERS_MAY_READ = 0o077;

/** What a fault of the environment says of its one variable. */
const lastLine = (error: unknown): string => messageOf(error).split("\n").at(-1)?.replace(/^ +- /, "") ?? "";

/** Events that wait on disk for the database, and those that it refused for good. */
export function checkSpool(): Finding {
  const about = "spool";
  const dir = join(env().TRAILMARK_DATA_DIR, "spool");
  if (!existsSync(dir)) return { level: "ok", about, detail: "none yet" };
  let waiting = 0;
  let refused = 0;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size } = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) ?? { size: 0 };
    if (entry.name === DEAD_LETTER_FILE) refused += size;
    else waiting += size;
  }
  if (refused > 0)
    return {
      level: "warn",
      about,
      detail: `${refused} bytes of events that the database refused: ${DEAD_LETTER_FILE}`,
    };
  return { level: waiting > MUCH_SPOOL_BYTES ? "warn" : "ok", about, detail: `${waiting} bytes waiting` };
}

/** The policy of the witnesses, as the server reads it at its start. */
export function checkWitnesses(): Finding {
  const about = "witnesses";
  try {
    const policy = witnessPolicy();
    if (!policy) return { level: "ok", about, detail: "none asked (TRAILMARK_WITNESS_POLICY_FILE)" };
    const witnesses = policy.witnesses.filter(({ url }) => url !== null).map(({ name }) => name);
    if (witnesses.length === 0) return { level: "warn", about, detail: "no witness of the policy has an address" };
    return { level: "ok", about, detail: witnesses.join(", ") };
  } catch (error) {
    return { level: "fail", about, detail: lastLine(error) };
  }
}

/** The key of the checkpoints: there, Ed25519, and readable by its owner alone. */
export function checkKey(): Finding {
  const about = "signing key";
  const { TRAILMARK_SIGNING_KEY_FILE, TRAILMARK_DATA_DIR } = env();
  const file = TRAILMARK_SIGNING_KEY_FILE ?? join(TRAILMARK_DATA_DIR, "keys", "checkpoint-ed25519.pem");
  if (!existsSync(file)) {
    const level = TRAILMARK_SIGNING_KEY_FILE ? "fail" : "ok";
    return { level, about, detail: TRAILMARK_SIGNING_KEY_FILE ? `${file} does not exist` : "made at the first start" };
  }
  try {
    const keys = signingKeys().map(vkeyOf).join(" ");
    if (statSync(file).mode & OTHERS_MAY_READ)
      return { level: "warn", about, detail: `${file} can be read by others (chmod 600); ${keys}` };
    return { level: "ok", about, detail: `${keys} (pins every organization below ${signerName()})` };
  } catch (error) {
    return { level: "fail", about, detail: lastLine(error) };
  }
}
