import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verifyBundle } from "@/server/evidence/bundle/verify";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { noteOf } from "@/server/evidence/tree/signed-note";
import { newNonce, timestampQuery } from "@/server/evidence/witnesses/timestamp";
import { chainRows, createBundle, installationKey, sealed, trustIn, vkeyOf } from "@/testing/evidence/bundles";
import { type Authority, startAuthority } from "@/testing/proofs/timestamp-authority";
import { tempFolder } from "@/testing/temp-folder";
import { stampCheck } from "./stamp";

const lines = createBundle({ rows: chainRows(3) }).split("\n");
const checkpoint = noteOf(JSON.parse(lines[1] ?? "").note)?.text ?? "";
const keys = [vkeyOf(installationKey)];
const dir = tempFolder();
let authority: Authority;
let stranger: Authority;
beforeAll(async () => {
  [authority, stranger] = await Promise.all([startAuthority(), startAuthority()]);
});
afterAll(() => Promise.all([authority.stop(), stranger.stop()]));

async function tokenOver(text: string): Promise<string> {
  const query = timestampQuery(noteTools.sha256(Buffer.from(text)), newNonce());
  const reply = await fetch(authority.url, { method: "POST", body: new Uint8Array(query) });
  return Buffer.from(await reply.arrayBuffer()).toString("base64");
}

/** The bundle with a time-stamp of a text, or without any. */
async function bundleOver(text: string | null): Promise<string> {
  const stamp = text === null ? [] : [JSON.stringify({ type: "timestamp", token: await tokenOver(text) })];
  return sealed([...lines.slice(0, 2), ...stamp, ...lines.slice(2, -2), ""].join("\n"));
}

/** The verdicts of the command line and of the verifier in Python. */
async function judged(text: string, certificates: string) {
  const options = { trust: trustIn({ keys }), stamp: stampCheck(certificates) };
  const verdict = await verifyBundle([Buffer.from(text)], noteTools, options);
  if (verdict.status === "unreadable") throw new Error(verdict.reason);
  const file = join(dir, "bundle.ndjson");
  writeFileSync(file, text);
  const args = ["docs/verify_bundle.py", file, "--key", keys[0] ?? "", "--tsa", certificates];
  const python = spawnSync("python3", args, { encoding: "utf8" });
  return { ...verdict, python: { code: python.status, text: python.stdout } };
}

it("shows time and policy of a trusted timestamp in the verdict", async () => {
  const { status, notices, python } = await judged(await bundleOver(checkpoint), authority.certificates);
  expect(status).toBe("intact");
  const said = /^The checkpoint was there on (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z): time-stamped by .*policy \S+\.$/m;
  const at = said.exec(notices.join("\n"))?.[1] ?? "";
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
  expect(python.code).toBe(0);
  expect(python.text).toContain(`the checkpoint was there on ${at.replace(".000", "")}: time-stamped by`);
});

it.each([
  ["a timestamp of another text", "another text", () => authority],
  ["a timestamp of an untrusted authority", checkpoint, () => stranger],
])("not proven: %s", async (_, text, trusted) => {
  const { status, reasons, python } = await judged(await bundleOver(text), trusted().certificates);
  expect(status).toBe("unproven");
  expect(reasons).toEqual([expect.stringMatching(/^The time-stamp does not hold: \w[^:]+\.$/)]);
  expect(python.code).toBe(3);
  expect(python.text).toMatch(/the time-stamp does not hold: \w+/);
});

it("not proven: a bundle without the required timestamp", async () => {
  const { status, reasons, python } = await judged(await bundleOver(null), authority.certificates);
  expect([status, reasons]).toEqual(["unproven", ["The bundle holds no time-stamp."]]);
  expect(python).toMatchObject({ code: 3, text: expect.stringContaining("the bundle holds no time-stamp") });
});
