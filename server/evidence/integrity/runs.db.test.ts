import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { readChain } from "@/server/evidence/chain/chain-stream";
import { env } from "@/server/ground/env";
import { auditRows, roles, tamper } from "@/testing/chain";
import { createOrg, createUser, ctxFor } from "@/testing/factories";
import { verifyIntegrity } from "./integrity";
import { verifyWhole } from "./runs";
import { getIntegrityStatus } from "./status";

async function chainOf(rows: number): Promise<string> {
  const { id } = await createOrg();
  for (let left = rows; left > 0; left -= 500) await appendAudit(roles.app, auditRows(id, Math.min(500, left)));
  return id;
}

const connections = async () =>
  Number(
    (await roles.owner`SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'trailmark chain'`)[0]?.n,
  );

describe("concurrent verifications of one chain", () => {
  it("share one run and one stored result", async () => {
    const id = await chainOf(3_000);
    const all = await Promise.all(Array.from({ length: 20 }, () => verifyWhole(id)));
    expect(new Set(all).size).toBe(1);
    expect(all[0]).toMatchObject({ status: "intact", rowsChecked: 3_000, covered: { lastSeq: 3_000 } });
  });

  it("continue when one caller cancels, and stop when the last one does", async () => {
    const id = await chainOf(3_000);
    const [first, second] = [new AbortController(), new AbortController()];
    const gone = verifyWhole(id, { signal: first.signal });
    const stays = verifyWhole(id);
    first.abort();
    await expect(gone).rejects.toThrow("cancelled");
    expect(await stays).toMatchObject({ status: "intact" });
    const alone = verifyWhole(id, { signal: second.signal });
    second.abort();
    await expect(alone).rejects.toThrow("cancelled");
    await expect.poll(connections).toBeLessThanOrEqual(4);
  });
});

it("150 verifications by one caller use few connections, and the excess gets 429", async () => {
  const orgs = await Promise.all(Array.from({ length: 6 }, () => chainOf(2_000)));
  const ctxs = await Promise.all(orgs.map(async (orgId) => ctxFor(await createUser({ role: "org_admin", orgId }))));
  const greedy = ctxs[0];
  const other = ctxs[1];
  if (!greedy || !other) throw new Error("no callers");
  const input = { orgId: orgs[0] };
  // Both connections are taken: nothing is read to its end before they are given back.
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const taken = [1, 2].map(() => readChain({ kind: "system" }, () => released, { pool: "whole" }));
  const asked = Array.from({ length: 150 }, () =>
    verifyIntegrity.run(greedy, input).then(
      ({ status }) => status,
      ({ code }) => code,
    ),
  );
  let reading = 0;
  const others = ctxs.slice(2).map(async (ctx, i) => {
    reading++;
    try {
      return await verifyIntegrity.run(ctx, { orgId: orgs[i + 2] });
    } finally {
      reading--;
    }
  });
  let most = 0;
  const watch = setInterval(() => void connections().then((n) => (most = Math.max(most, n))), 20);
  await getIntegrityStatus.run(other, { orgId: orgs[1] }).finally(release);
  const stillReading = reading;
  await Promise.all(taken);
  const answers = await Promise.all(asked);
  expect(await Promise.all(others)).toMatchObject(others.map(() => ({ status: "intact" })));
  clearInterval(watch);
  expect(answers.filter((answer) => answer === "intact")).toHaveLength(8);
  expect(answers.filter((answer) => answer === "rate_limited")).toHaveLength(142);
  expect(most).toBeLessThanOrEqual(8);
  // A mere look waits for none of them.
  expect(stillReading).toBe(others.length);
});

describe("verification by sequence", () => {
  const asker = async (orgId: string) => ctxFor(await createUser({ role: "org_admin", orgId }));

  it("reads only those entries and says so", async () => {
    const orgId = await chainOf(300);
    const ctx = await asker(orgId);
    const found = await verifyIntegrity.run(ctx, { orgId, fromSeq: 100, toSeq: 200 });
    expect(found).toMatchObject({ status: "intact", rowsRead: 101, rowsChecked: 101, firstSeq: 100, lastSeq: 200 });
    expect(found.covered).toMatchObject({ firstSeq: 100, lastSeq: 200, checkpoint: { size: 300 } });
    expect((await getIntegrityStatus.run(ctx, { orgId })).last).toMatchObject({ kind: "range", rowsChecked: 101 });
    expect(await verifyIntegrity.run(ctx, { orgId, fromSeq: 250 })).toMatchObject({ rowsChecked: 51, lastSeq: 300 });
  });

  it("rejects sequences that the chain never had; missing ones are broken", async () => {
    const orgId = await chainOf(30);
    const ctx = await asker(orgId);
    const ask = (fromSeq: number, toSeq?: number) => verifyIntegrity.run(ctx, { orgId, fromSeq, toSeq });
    await expect(ask(20, 31)).rejects.toMatchObject({ extra: { errors: [{ path: "toSeq" }] } });
    await expect(ask(31)).rejects.toMatchObject({ extra: { errors: [{ path: "fromSeq" }] } });
    await tamper(async (tx) => {
      await tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq > 20`;
      await tx`UPDATE audit_chain_heads h SET seq = 20,
        checksum = (SELECT checksum FROM audit_logs a WHERE a.org_id = h.org_id AND chain_seq = 20) WHERE org_id = ${orgId}`;
    });
    expect(await ask(15, 30)).toMatchObject({ status: "broken", breaks: [{ seq: 21, kind: "truncated" }] });
    expect(await ask(25)).toMatchObject({ status: "broken", breaks: [{ seq: 21, kind: "truncated" }] });
  });

  it.for([30, 0])("is rejected beyond the newest of %i entries and raises no alarm", async (rows) => {
    const orgId = await chainOf(rows);
    const ctx = await asker(orgId);
    for (const part of [{ fromSeq: rows + 2 }, { fromSeq: rows + 5, toSeq: rows + 9 }, { fromSeq: 1e9 }])
      await expect(verifyIntegrity.run(ctx, { orgId, ...part })).rejects.toMatchObject({
        extra: { errors: [{ path: "fromSeq" }] },
      });
    expect(await getIntegrityStatus.run(ctx, { orgId })).toMatchObject({ alarm: null });
  });

  it("rejects a range given in two ways or ending before it starts", () => {
    const faultsOf = (input: object) => verifyIntegrity.input.safeParse(input).error?.issues.map(({ path }) => path[0]);
    expect(faultsOf({ fromSeq: 1, from: "2026-11-01T00:00:00Z" })).toEqual(["fromSeq"]);
    expect(faultsOf({ fromSeq: 3, toSeq: 2 })).toEqual(["fromSeq"]);
    expect(faultsOf({ toSeq: 0 })).toEqual(["toSeq"]);
  });
});

it("a verification does not close an alarm raised by its own signing", async () => {
  const id = await chainOf(20);
  const ctx = await ctxFor(await createUser({ role: "org_admin", orgId: id }));
  const verify = async () => (await verifyIntegrity.run(ctx, { orgId: id })).status;
  const state = async () => (await getIntegrityStatus.run(ctx, { orgId: id })).state.status;
  expect([await verify(), await state()]).toEqual(["intact", "intact"]);
  rmSync(join(env().TRAILMARK_DATA_DIR, "checkpoints", id), { recursive: true });
  await tamper((tx) => tx`DELETE FROM audit_notes WHERE org_id = ${id}`);
  expect([await verify(), await state()]).toEqual(["intact", "broken"]);
  expect([await verify(), await state()]).toEqual(["intact", "intact"]);
});
