import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SQL } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { asSystem, type Tx } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { readChain, waitingReaders } from "@/server/evidence/chain/chain-stream";
import { exportEvidence } from "@/server/evidence/export/export";
import {
  COSIGNATURE,
  concatBytes,
  cosignedMessage,
  formatNote,
  formatVerifierKey,
  parseNote,
  secondsToBytes,
} from "@/server/evidence/tree/signed-note";
import { checkpointText } from "@/server/evidence/tree/statement";
import { env } from "@/server/ground/env";
import { auditRows, roles, tamper } from "@/testing/chain";
import { checkText } from "@/testing/evidence/bundles";
import { call, createOrg, createUser, ctxFor } from "@/testing/factories";
import { testKey } from "@/testing/notes";
import { permit } from "@/testing/permit";
import { type RunningWitness, startWitness } from "@/testing/proofs/witness";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { insertNote, newestCheckpoint } from "./note-store";
import { findSignedBeyond, signRestoration } from "./restore-log";
import { signCheckpoint } from "./sign";
import { checkpointOf, originOfOrg, ownKeys, signStatement } from "./stored-note";
import { checkpointToShow, cosignersOf, noteWitnessed, witnessedAgeSeconds } from "./witnessed";

const NAMES = ["w1.example", "w2.example", "w3.example"];

let dir: string;
let running: RunningWitness[];
beforeAll(async () => {
  dir = tempFolder();
  const file = join(dir, "witnesses.policy");
  withSettings({ TRAILMARK_DATA_DIR: dir, TRAILMARK_WITNESS_POLICY_FILE: file });
  running = await Promise.all(NAMES.map((name) => startWitness(name, ownKeys())));
  const lines = running.map(({ witness: { name, key, url } }) => `witness ${name} ${formatVerifierKey(key)} ${url}`);
  writeFileSync(file, `${lines.join("\n")}\ngroup most 2 ${NAMES.join(" ")}\nquorum most\n`);
});
afterAll(async () => {
  await Promise.all(running.map(({ remove }) => remove()));
});

async function signedAfter(orgId: string, rows: number) {
  await appendAudit(roles.app, auditRows(orgId, rows));
  const signing = await signCheckpoint(orgId);
  if (signing.kind !== "signed") throw new Error(JSON.stringify(signing));
  expect(signing.warnings).toEqual([]);
  return signing.note;
}
const namesOf = (note: string) => cosignersOf(note).map(({ name }) => name);
const shown = (orgId: string, size: number) =>
  asSystem((tx) => checkpointToShow(tx, orgId, { size, about: { first: 1, last: size } }));

it("signs without an unreachable witness and publishes the newest cosigned checkpoint", async () => {
  const orgId = (await createOrg()).id;
  const first = await signedAfter(orgId, 5);
  expect(namesOf(first.note)).toEqual(NAMES);
  expect(namesOf((await asSystem((tx) => newestCheckpoint(tx, orgId)))?.note ?? "")).toEqual(NAMES);
  expect(namesOf(readFileSync(join(dir, "checkpoints", orgId, "latest"), "utf8"))).toEqual(NAMES);

  await running[0]?.stop();
  expect(namesOf((await signedAfter(orgId, 1)).note)).toEqual(NAMES.slice(1));
  expect(witnessedAgeSeconds()).toBe(0);
  await running[1]?.stop();
  const alone = await signedAfter(orgId, 1);
  expect(namesOf(alone.note)).toEqual(NAMES.slice(2));
  expect(witnessedAgeSeconds(Date.now() + 5_000)).toBeGreaterThan(4);
  expect((await shown(orgId, 5))?.size).toBe(6);
  expect((await shown(orgId, 7))?.size).toBe(7);
  expect(await shown(orgId, 8)).toBeNull();

  await Promise.all(running.slice(0, 2).map(({ start }) => start()));
  const last = await signedAfter(orgId, 1);
  expect(namesOf(last.note)).toEqual(NAMES);
  expect(witnessedAgeSeconds(Date.now() + 5_000)).toBe(0);

  const viewer = await createUser({ orgId, role: "org_viewer" });
  const { body } = await call(viewer, "GET /audit-logs/checkpoints");
  expect(body.witnesses).toEqual(NAMES);
  expect(body.data.map((c: { size: number; witnesses: unknown[] }) => [c.size, c.witnesses.length])).toEqual([
    [8, 3],
    [7, 1],
    [6, 2],
    [5, 3],
    [0, 3],
  ]);
});

it("omits a cosigner with an impossible time", async () => {
  const { note } = await signedAfter((await createOrg()).id, 2);
  const parsed = parseNote(note);
  const { key, sign } = testKey(2, "w9.example", COSIGNATURE);
  const seconds = 10_000_000_000_000;
  const bytes = concatBytes(secondsToBytes(seconds), sign(cosignedMessage(parsed?.text ?? "", seconds)));
  const cosigned = formatNote(parsed?.text ?? "", [{ name: key.name, id: key.id, bytes }]);
  const policy = { logs: [], witnesses: [{ name: key.name, key, url: null }], quorum: null };
  expect(cosignersOf(cosigned, policy)).toEqual([]);
});

it("a bundle stays valid with cosignatures under a renamed server's old name", async () => {
  const owner = await createUser({ role: "org_admin" });
  const orgId = owner.orgId as string;
  await signedAfter(orgId, 5);
  await permit(orgId, 2);
  const { NEXTAUTH_URL } = env();
  const policy = `log ${ownKeys().map(formatVerifierKey)[0]}\n${readFileSync(join(dir, "witnesses.policy"), "utf8")}`;
  withSettings({ NEXTAUTH_URL: "https://renamed.example" });
  // Its witnesses know no log of this name.
  await signedAfter(orgId, 1);
  await permit(orgId, 3);
  const { text } = await call(owner, "GET /audit-logs/evidence?toSeq=5");
  // No age of a log that is none any more.
  noteWitnessed(originOfOrg(orgId), true);
  withSettings({ NEXTAUTH_URL });
  expect(await checkText(text, { policy })).toMatchObject({
    status: "intact",
    header: { origin: ownKeys(orgId)[0]?.name, publicKeys: ownKeys(orgId).map(formatVerifierKey) },
    receipt: { through: 3 },
  });
});

it("counts a missing quorum from the first checkpoint without one, even after a restart", async () => {
  const orgId = (await createOrg()).id;
  const restart = () => noteWitnessed(originOfOrg(orgId), true);
  const signedAgo = async (hours: number) => {
    await appendAudit(roles.app, auditRows(orgId, 1));
    const signing = await signCheckpoint(orgId, { now: new Date(Date.now() - hours * 3_600_000) });
    expect(signing.kind).toBe("signed");
  };
  await signedAgo(170);
  await Promise.all(running.slice(0, 2).map(({ stop }) => stop()));
  await signedAgo(168);
  await signedAgo(5);
  for (const _ of ["a restart", "another"]) {
    restart();
    await signedAgo(0);
    expect(Math.round(witnessedAgeSeconds() / 3_600)).toBe(168);
  }
  await Promise.all(running.slice(0, 2).map(({ start }) => start()));
  await signedAgo(0);
  expect(witnessedAgeSeconds()).toBe(0);
});

it("rejects an export when an entry leaves the range while the checkpoint is chosen", async () => {
  const orgId = (await createOrg()).id;
  await signedAfter(orgId, 5);
  await Promise.all(running.slice(0, 2).map(({ stop }) => stop()));
  await signedAfter(orgId, 1);
  const ctx = await ctxFor(await createUser({ orgId, role: "org_admin" }));
  const redate = (at: Date) =>
    tamper(
      (tx) => tx`UPDATE audit_logs SET "timestamp" = ${at.toISOString()} WHERE org_id = ${orgId} AND chain_seq = 6`,
    );
  const [row] = await roles.admin<{ at: Date }[]>`
    SELECT "timestamp" AS at FROM audit_logs WHERE org_id = ${orgId} AND chain_seq = 6`;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const slow = Array.from({ length: 4 }, () => readChain({ kind: "system" }, () => released, { pool: "download" }));
  await redate(new Date(0));
  const range = { from: new Date(Date.now() - 3_600_000), to: new Date() };
  const asked = exportEvidence.run(ctx, { orgId, ...range }).then(
    () => "given",
    ({ code }) => code,
  );
  await expect.poll(() => waitingReaders("download")).toBe(1);
  await redate(row?.at ?? new Date());
  release();
  await Promise.all(slow);
  expect(await asked).toBe("conflict");
  await Promise.all(running.slice(0, 2).map(({ start }) => start()));
});

/** A log cosigned at five entries, and at six so many times not. */
async function cosignedBefore(count: number): Promise<string> {
  const orgId = (await createOrg()).id;
  await signedAfter(orgId, 5);
  await Promise.all(running.slice(0, 2).map(({ stop }) => stop()));
  const alone = await signedAfter(orgId, 1);
  await Promise.all(running.slice(0, 2).map(({ start }) => start()));
  const { origin, root, size } = checkpointOf(alone);
  await asSystem(async (tx) => {
    const later = Array.from({ length: count - 1 }, (_, i) => {
      const signedAt = new Date(Date.parse(alone.signedAt) + (i + 1) * 1_000).toISOString();
      const note = signStatement(origin, checkpointText({ origin, size, root, signedAt }));
      return { ...alone, signedAt, note };
    });
    await Promise.all(later.map((note) => insertNote(tx, note)));
  });
  return orgId;
}

/** The size of the checkpoint that is shown of five entries, and how many rows the database gave for it. */
const rowsRead = (orgId: string) =>
  asSystem(async (tx) => {
    let rows = 0;
    const execute = async (query: SQL) => {
      const found = await tx.execute(query);
      rows += found.length;
      return found;
    };
    const counting = Object.create(tx, { execute: { value: execute } }) as Tx;
    const found = await checkpointToShow(counting, orgId, { size: 5, about: { first: 1, last: 5 } });
    return { size: found?.size, rows };
  });

it("finds the newest checkpoint with a quorum and reads no row twice", async () => {
  const orgId = await cosignedBefore(150);
  const { size, rows } = await rowsRead(orgId);
  expect(size).toBe(5);
  expect(rows).toBeLessThanOrEqual(152);
  expect((await shown(orgId, 6))?.size).toBe(6);
});

it("searches about a week of checkpoints, then falls back to the newest", async () => {
  expect(await rowsRead(await cosignedBefore(3_100))).toEqual({ size: 6, rows: 3_000 });
});

it("`since` accepts an older cosigned checkpoint that covers the range", async () => {
  const owner = await createUser({ role: "org_admin" });
  const orgId = owner.orgId as string;
  await signedAfter(orgId, 5);
  await Promise.all(running.slice(0, 2).map(({ stop }) => stop()));
  const kept = await signedAfter(orgId, 1);
  const { status, text } = await call(owner, "GET /audit-logs/evidence?toSeq=5&since=6");
  await Promise.all(running.slice(0, 2).map(({ start }) => start()));
  expect(status).toBe(200);
  const found = await checkText(text, { keys: ownKeys().map(formatVerifierKey), since: kept.note });
  expect(found).toMatchObject({ status: "intact", rowsChecked: 5 });
});

it("a restored log's time range uses no cosigned checkpoint from before the restore", async () => {
  const owner = await createUser({ role: "org_admin" });
  const orgId = owner.orgId as string;
  await signedAfter(orgId, 5);
  const until = new Date().toISOString();
  await signedAfter(orgId, 3);
  await tamper(async (tx) => {
    await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > 5`;
    await tx`UPDATE audit_chain_heads h SET seq = 5,
      checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 5) WHERE org_id = ${orgId}`;
  });
  const lost = await findSignedBeyond(orgId);
  if (!lost) throw new Error("nothing was lost");
  await signRestoration(lost, new Date().toISOString());
  // The witnesses saw what was lost, and refuse.
  expect(namesOf((await signedAfter(orgId, 1)).note)).toEqual([]);
  const policy = `log ${ownKeys().map(formatVerifierKey)[0]}\n${readFileSync(join(dir, "witnesses.policy"), "utf8")}`;
  const verdictOf = async (query: string) => {
    const { text } = await call(owner, `GET /audit-logs/evidence?${query}`);
    return checkText(text, { policy });
  };
  expect(await verdictOf(`to=${until}`)).toMatchObject({
    status: "unproven",
    rowsChecked: 5,
    reasons: expect.arrayContaining([expect.stringContaining("restored to an older state")]),
  });
  expect(await verdictOf("fromSeq=2&toSeq=5")).toMatchObject({ status: "intact", rowsChecked: 4 });
});
