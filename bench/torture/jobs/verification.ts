import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Credentials, signIn, verdictOn } from "@/bench/torture/api";
import { tamper, withOwner, withServer } from "@/bench/torture/folder";
import type { Line } from "@/bench/torture/line";
import { nightOf, runProduct, startProduct } from "@/bench/torture/product";
import type { Server } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";
import { addEntries, chainOf, createFilled, KILLS, killOne, killProgram, ONE_KILL } from "./organization";

const ROWS = 20_000;
/** From this number on a head is signed at the next poll, within five seconds (checkpoint-worker.ts). */
const ROWS_TO_SIGN = 1_100;
const SIGNED_WITHIN_MS = 5_000;

/** Faults of the server's verdict on so many rows. */
async function faultsOfVerdict(server: Server, orgId: string, rows: number): Promise<string[]> {
  const { status, rowsChecked } = await verdictOn(server, orgId);
  const isRight = (status === "intact" || status === "unproven") && rowsChecked === rows;
  return isRight ? [] : [`verdict ${status} of ${rowsChecked} rows, of ${rows}`];
}

/** Changes one row as the owner; a night that trusts its interrupted predecessor would miss it. */
const changeARow = (server: Server, orgId: string) =>
  tamper(server, (tx) => tx`UPDATE audit_logs SET resource_name = 'x' WHERE org_id = ${orgId} AND chain_seq = 100`);

/** Nights stored as read, whether or not their process survived. */
const nightsOf = (server: Server, orgId: string): Promise<number> =>
  withOwner(server, async (sql) => {
    const [row] = await sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM audit_verifications WHERE org_id = ${orgId}`;
    return row?.n ?? 0;
  });

/** K3, verification: killed nights leave no verdict; the next one reads everything. */
export const verificationKills: Line = {
  id: "K3-verification",
  title: "kill -9 of a nightly verification or PostgreSQL",
  ...KILLS,
  control: { title: "a changed row must be detected", ...ONE_KILL },
  run: ({ rounds, random, progress, isBroken }, found) =>
    withServer(async (server) => {
      const { orgId } = await createFilled(server, ROWS);
      for (; found.tried < rounds; found.tried++) {
        progress(`kill ${found.tried + 1}`);
        const running = startProduct(server.dataDir, ["nightly", "--org", orgId]);
        await sleep(300 + random() * 1_500);
        const { code } = await killProgram(server, running, found.tried);
        if (code === 1) found.fault("a killed night called the chain broken");
      }
      if (isBroken) await changeARow(server, orgId);
      const { rows } = await chainOf(server, orgId);
      const ended = await nightsOf(server, orgId);
      const { status, rows: read } = await nightOf(server, orgId);
      if (status !== "intact" || (ended === 0 && read < ROWS))
        found.fault(`the next night says ${status} of ${read} rows`);
      found.faults(await faultsOfVerdict(server, orgId, rows));
      found.note(`${rounds} kills, ${rows} rows, ${ended} nights came to their end before`);
    }),
};

/** Verifies the bundle of the whole log offline, with the server's published key. */
async function verifyBundle(server: Server, orgId: string): Promise<string | null> {
  const folder = tempFolder();
  const headers = { Authorization: `Bearer ${await signIn(server)}` };
  const keep = async (name: string, path: string) => {
    const answer = await fetch(`${server.base}${path}`, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    writeFileSync(join(folder, name), Buffer.from(await answer.arrayBuffer()));
    return join(folder, name);
  };
  const bundle = await keep("bundle", `/api/v1/audit-logs/evidence?orgId=${orgId}`);
  const policy = await keep("policy", "/.well-known/trailmark-log");
  const { code, out, err } = await runProduct(server, ["verify", bundle, "--policy", policy]);
  return code === 0 ? null : `the bundle: ${code} ${out}${err}`.slice(0, 300);
}

/** Imitates a checkpoint without all of its tiles, and adds entries. */
async function loseATile(server: Server, credentials: Credentials): Promise<void> {
  const { orgId } = credentials;
  await verdictOn(server, orgId);
  await tamper(server, (tx) => tx`DELETE FROM audit_tree_tiles WHERE org_id = ${orgId} AND level = 0 AND idx = 1`);
  await addEntries(server, credentials, 10);
}

/** K3, tree: kills the server around the signing of a head and growth of its tree. */
export const treeKills: Line = {
  id: "K3-tree",
  title: "kill -9 of the server and PostgreSQL while the tree grows and is signed",
  ...KILLS,
  control: { title: "a lost tree tile must be detected", ...ONE_KILL },
  run: ({ rounds, random, progress, isBroken }, found) =>
    withServer(async (server) => {
      const credentials = await createFilled(server, ROWS_TO_SIGN);
      const { orgId } = credentials;
      for (; found.tried < rounds; found.tried++) {
        progress(`kill ${found.tried + 1}`);
        await addEntries(server, credentials, ROWS_TO_SIGN);
        // Half are signed on a caller's request, sooner than by the worker.
        const isAsked = found.tried % 2 === 1;
        if (isAsked) void verdictOn(server, orgId).catch(() => {});
        await sleep(random() * (isAsked ? 300 : SIGNED_WITHIN_MS));
        await killOne(server, found.tried);
        if (isBroken) await loseATile(server, credentials);
        found.faults(await faultsOfVerdict(server, orgId, (await chainOf(server, orgId)).head));
        const broken = await verifyBundle(server, orgId).catch((error: unknown) => String(error));
        if (broken) found.fault(broken);
      }
      const { status } = await nightOf(server, orgId);
      if (status !== "intact") found.fault(`the night says ${status}`);
      found.note(`${rounds} kills, ${(await chainOf(server, orgId)).head} rows`);
    }),
};
