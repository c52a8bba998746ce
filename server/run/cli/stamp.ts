import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StampCheck } from "@/server/evidence/bundle/judge";
import { UsageError } from "./command";

/** Runs OpenSSL in a folder. @throws UsageError if it is not installed */
function openssl(cwd: string, args: string[]) {
  const { error, status, stdout, stderr } = spawnSync("openssl", args, { cwd, encoding: "utf8" });
  if (error) throw new UsageError(`--tsa: openssl, which checks time-stamps, did not run: ${error.message}.`);
  return { isGood: status === 0, stdout, stderr };
}

const lineOf = (text: string, name: string): string | null =>
  new RegExp(`^${name}: (.+)$`, "m").exec(text)?.[1] ?? null;

/** Last reason given by OpenSSL. */
const reasonOf = (stderr: string): string => {
  const [last = ""] = stderr.trim().split("\n").slice(-1);
  return /:reason\([^)]*\):|^[0-9A-F]+:error:/.test(last) ? (last.split(":")[5] ?? last) : last || "it is malformed";
};

/**
 * Checks time-stamps (RFC 3161) with OpenSSL: signature, imprint, and a chain to a trusted certificate valid at the
 * stamped time.
 * @param certificates a PEM file of trusted certificates, including intermediate ones
 */
export const stampCheck =
  (certificates: string): StampCheck =>
  (text, reply) => {
    const dir = mkdtempSync(join(tmpdir(), "trailmark-stamp-"));
    try {
      writeFileSync(join(dir, "text"), text);
      writeFileSync(join(dir, "reply"), reply);
      const { stdout } = openssl(dir, ["ts", "-reply", "-in", "reply", "-text"]);
      const at = Date.parse(lineOf(stdout, "Time stamp") ?? "");
      if (Number.isNaN(at)) return { reason: "it is no reply that grants one" };
      const trusted = ["-CAfile", certificates, "-untrusted", certificates, "-attime", String(Math.floor(at / 1_000))];
      const { isGood, stderr } = openssl(dir, ["ts", "-verify", "-data", "text", "-in", "reply", ...trusted]);
      if (!isGood) return { reason: reasonOf(stderr) };
      const [authority, policy] = [lineOf(stdout, "TSA"), lineOf(stdout, "Policy OID")];
      const by = !authority || authority === "unspecified" ? "an authority of these certificates" : authority;
      return { at: new Date(at).toISOString(), by: `${by.replace(/^DirName:/, "")}, policy ${policy}` };
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  };
