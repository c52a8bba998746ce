import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import { readChain, THREADS } from "@/server/evidence/chain/chain-stream";
import { verifyChain } from "@/server/evidence/chain/verify";
import { systemCtx } from "@/server/ground/context";
import { auditRow, auditRows, roles, tamper } from "@/testing/chain";
import { createOrg } from "@/testing/factories";
import { rangesOf } from "./read-runs";

/** Ranges so short that a chain of a few rows has many. */
const DIVIDED = { fromRows: 1, rangeRows: 7 };
const ROWS = 60;
const WRITE_EVERY_MS = 10;

async function chain(): Promise<string> {
  const { id } = await createOrg();
  const rows = auditRows(id, ROWS).map((row, i) => ({
    ...row,
    resourceId: i % 2 ? randomUUID() : null,
    resourceName: `Büro ${"€".repeat(i % 5)}`,
    userAgent: i % 3 ? "agent 🛰" : "",
    details: i % 4 ? JSON.stringify({ n: i, text: "x".repeat(i * 40), load: 1.5 }) : null,
    errorMessage: i % 7 ? null : "none",
  }));
  await appendAudit(roles.app, rows);
  return id;
}

const whole = (orgId: string) => verifyChain(systemCtx(), { orgId, mark: 33 });
const divided = (orgId: string) => verifyChain(systemCtx(), { orgId, mark: 33, division: DIVIDED });

/** A number below n that depends on where in the list of cases it is drawn alone. */
function drawer(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % n;
  };
}

const ACTS: ((tx: postgres.TransactionSql, orgId: string, seq: number) => Promise<unknown>)[] = [
  (tx, orgId, seq) => tx`UPDATE audit_logs SET result = 'denied' WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  (tx, orgId, seq) => tx`DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq BETWEEN ${seq} AND ${seq + 1}`,
  (tx, orgId, seq) =>
    tx`UPDATE audit_logs SET prev_checksum = repeat('0', 64) WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  (tx, orgId, seq) =>
    tx`UPDATE audit_logs SET timestamp = timestamp + interval '1 ms' WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  (tx, orgId, seq) =>
    tx`UPDATE audit_logs SET chain_seq = chain_seq + 1000 WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  (tx, orgId, seq) => tx`UPDATE audit_logs SET chain_seq = -chain_seq WHERE org_id = ${orgId} AND chain_seq = ${seq}`,
  (tx, orgId) => tx`DELETE FROM audit_chain_heads WHERE org_id = ${orgId}`,
];

describe("verifying a chain on several threads", () => {
  it("gives the same verdict as one connection, whole and by sequence", async () => {
    const orgId = await chain();
    const found = await divided(orgId);
    expect(found).toMatchObject({ status: "intact", rowsChecked: ROWS, marked: { seq: 33 } });
    expect(found).toEqual(await whole(orgId));
    const part = { orgId, fromSeq: 5, toSeq: 41 };
    expect(await verifyChain(systemCtx(), { ...part, division: DIVIDED })).toEqual(
      await verifyChain(systemCtx(), part),
    );
  });

  it.each([1, 2, 3, 4, 5])("gives the same verdict for a chain tampered with in two places (%i)", async (seed) => {
    const orgId = await chain();
    const draw = drawer(seed);
    await tamper(async (tx) => {
      for (let i = 0; i < 2; i++) await ACTS[draw(ACTS.length)]?.(tx, orgId, 1 + draw(ROWS - 2));
    }).catch((error: unknown) => {
      // A constraint may be in the way of an act; then there is nothing to see.
      if ((error as { code?: string }).code !== "23514") throw error;
    });
    const found = await divided(orgId);
    expect(found).toEqual(await whole(orgId));
  });

  it("uses one snapshot, so concurrent writes are no breaks", async () => {
    const orgId = await chain();
    let [isDone, written] = [false, 0];
    const writer = (async () => {
      for (; !isDone; written++) {
        await appendAudit(roles.app, [auditRow(orgId)]);
        // At a pace: as many as can be written would make each reading longer than the one before.
        await sleep(WRITE_EVERY_MS);
      }
    })();
    try {
      for (let i = 0; i < 3; i++) {
        const before = written;
        expect((await divided(orgId)).breaks).toEqual([]);
        expect(written).toBeGreaterThan(before);
      }
    } finally {
      isDone = true;
      await writer;
    }
  });

  it("may run longer than the role's idle transaction timeout", async () => {
    // The reading that keeps the snapshot says nothing while the threads read.
    const limitOf = async (sql: postgres.Sql | postgres.TransactionSql) =>
      (await sql`SHOW idle_in_transaction_session_timeout`)[0]?.idle_in_transaction_session_timeout;
    expect(await limitOf(roles.app)).not.toBe("30min");
    expect(await readChain({ kind: "system" }, ({ sql }) => limitOf(sql))).toBe("30min");
  });

  it("frees its threads on cancel, and falls back to one connection when none is free", async () => {
    const orgId = await chain();
    const gone = new AbortController();
    const cancelled = verifyChain(systemCtx(), { orgId, division: DIVIDED, signal: gone.signal });
    gone.abort();
    await expect(cancelled).rejects.toThrow();
    await expect.poll(() => [THREADS.running, THREADS.waiting]).toEqual([0, 0]);
    const all = await Promise.all(Array.from({ length: 4 }, () => divided(orgId)));
    expect(all.map(({ status }) => status)).toEqual(["intact", "intact", "intact", "intact"]);
  });
});

it("splits a part into adjacent ranges, fewer when rows are sparse", () => {
  expect(rangesOf({ first: null, last: null }, { first: 3, last: 17 }, 7)).toEqual([
    { first: null, last: 9 },
    { first: 10, last: 16 },
    { first: 17, last: null },
  ]);
  expect(rangesOf({ first: 5, last: 9 }, { first: 5, last: 9 }, 7)).toEqual([{ first: 5, last: 9 }]);
  expect(rangesOf({ first: null, last: null }, { first: 1, last: 10 ** 12 }, 50_000).length).toBeLessThanOrEqual(1_000);
});
