import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { answered, signIn, verdictOn } from "@/bench/torture/api";
import { tamper, withOwner, withServer } from "@/bench/torture/folder";
import type { Line } from "@/bench/torture/line";
import { runProduct, startProduct } from "@/bench/torture/product";
import { ED25519 } from "@/server/evidence/tree/signed-note";
import { DAY_MS } from "@/server/ground/time/durations";
import { namedKey, signText } from "@/testing/notes";
import type { Server } from "@/testing/server";
import { addEntries, chainOf, createFilled, KILLS, killProgram, ONE_KILL, untilLeft } from "./organization";

/** Two slices of a run and part of a third. */
const ROWS = 45_000;
const SINCE = 100;
const DAYS = 30;

type Signed = { size: number; note: string };

/** Newest checkpoint of a log, after signing its head. */
async function newestOf(server: Server, orgId: string): Promise<Signed> {
  await verdictOn(server, orgId);
  const [newest] = await withOwner(
    server,
    (sql) => sql<Signed[]>`
      SELECT size::int AS size, note FROM audit_notes WHERE org_id = ${orgId} AND kind = 'checkpoint'
      ORDER BY size DESC, signed_at DESC LIMIT 1`,
  );
  if (!newest) throw new Error("no checkpoint was signed");
  return newest;
}

/**
 * Backdates sealing and signing of the log's entries, with the server's key.
 * @returns number of entries
 */
async function age(server: Server, orgId: string): Promise<number> {
  const { size, note } = await newestOf(server, orgId);
  const at = new Date(Date.now() - SINCE * DAY_MS).toISOString();
  const secret = createPrivateKey(readFileSync(join(server.dataDir, "keys", "checkpoint-ed25519.pem")));
  const text = `${note.slice(0, note.lastIndexOf("\n\n"))}\n`.replace(/^signed-at .*$/m, `signed-at ${at}`);
  const aged = signText(text, namedKey(secret, text.slice(0, text.indexOf("\n")), ED25519));
  await tamper(server, async (tx) => {
    await tx`UPDATE audit_logs SET sealed_at = ${at} WHERE org_id = ${orgId} AND chain_seq <= ${size}`;
    await tx`INSERT INTO audit_notes (org_id, kind, size, signed_at, note) VALUES (${orgId}, 'checkpoint', ${size}, ${at}, ${aged})`;
  });
  const body = { retentionDays: DAYS };
  const path = `/orgs/organizations/${orgId}/audit-retention`;
  await answered(server, path, { method: "PUT", token: await signIn(server), body });
  return size;
}

type Receipt = { first: number; last: number };

/** Remaining rows are contiguous up to the head, removed ones have receipts without a gap, and nothing is broken. */
async function faultsIn(server: Server, orgId: string): Promise<string[]> {
  const faults: string[] = [];
  const { rows, head, pruned } = await chainOf(server, orgId);
  if (rows !== head - pruned) faults.push(`${rows} rows where the chain says ${head - pruned}`);
  const receipts = await withOwner(
    server,
    (sql) => sql<Receipt[]>`
      SELECT (details->>'firstSeq')::int AS first, (details->>'lastSeq')::int AS last FROM audit_logs
      WHERE org_id = ${orgId} AND action = 'audit.retention.prune' ORDER BY chain_seq`,
  );
  let next = 1;
  for (const { first, last } of receipts) {
    if (first !== next) faults.push(`a receipt begins at ${first} instead of ${next}`);
    next = last + 1;
  }
  if (next - 1 !== pruned) faults.push(`receipts through ${next - 1}, pruned through ${pruned}`);
  const { status } = await verdictOn(server, orgId);
  if (status !== "intact" && status !== "unproven") faults.push(`verdict ${status}`);
  return faults;
}

/** K3, pruning: slices are complete or never started, each with a receipt, and the run completes. */
export const pruneKills: Line = {
  id: "K3-prune",
  title: "kill -9 of a pruning run or PostgreSQL",
  ...KILLS,
  control: { title: "rows removed without their progress mark must be detected", ...ONE_KILL },
  run: ({ rounds, random, progress, isBroken }, found) =>
    withServer(async (server) => {
      const credentials = await createFilled(server, ROWS);
      const { orgId } = credentials;
      const old = await age(server, orgId);
      await addEntries(server, credentials, 100);
      for (; found.tried < rounds; found.tried++) {
        progress(`kill ${found.tried + 1}`);
        const running = startProduct(server.dataDir, ["retention", "--org", orgId]);
        await sleep(400 + random() * 2_600);
        await killProgram(server, running, found.tried);
        await untilLeft(server, "usename", "trailmark_audit_admin");
        const from = (await chainOf(server, orgId)).pruned;
        if (isBroken)
          await tamper(
            server,
            (tx) => tx`
              DELETE FROM audit_logs WHERE org_id = ${orgId} AND chain_seq BETWEEN ${from + 1} AND ${from + 10}`,
          );
        found.faults(await faultsIn(server, orgId));
      }
      found.note(`${rounds} kills, ${old} expired rows`);
      if (isBroken) return;
      const { code, out, err } = await runProduct(server, ["retention", "--org", orgId]);
      if (code !== 0) found.fault(`the last run ended with ${code}: ${err || out}`);
      found.faults(await faultsIn(server, orgId));
      const { pruned } = await chainOf(server, orgId);
      if (pruned !== old) found.fault(`pruned through ${pruned} instead of ${old}`);
    }),
};
