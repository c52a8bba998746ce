import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Credentials, signIn, verdictOn } from "@/bench/torture/api";
import { tamper, withFolder, withOwner, withServer } from "@/bench/torture/folder";
import { nightOf, runProduct, startProduct } from "@/bench/torture/product";
import { controlled, type Found, fought, type LineInput } from "@/bench/torture/types";
import { killPostgres, type Server } from "@/testing/server";
import { addEntries, chainOf, createFilled, killOne, untilReady } from "./organization";

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
const verifyUnderFire = (input: LineInput, damage: boolean): Promise<Found> =>
  withServer(async (server) => {
    const { rounds } = input;
    const { orgId } = await createFilled(server, ROWS);
    const faults: string[] = [];
    for (let round = 0; round < rounds; round++) {
      input.progress(`kill ${round + 1}`);
      const { child, ended } = startProduct(server.dataDir, ["nightly", "--org", orgId]);
      await sleep(300 + input.random() * 1_500);
      if (round % 3 === 2) await killPostgres(server.dataDir);
      else child.kill("SIGKILL");
      const { code } = await ended;
      if (code === 1) faults.push("a killed night called the chain broken");
      await untilReady(server);
    }
    if (damage) await changeARow(server, orgId);
    const { rows } = await chainOf(server, orgId);
    const ended = await nightsOf(server, orgId);
    const { status, rows: read } = await nightOf(server, orgId);
    if (status !== "intact" || (ended === 0 && read < ROWS))
      faults.push(`the next night says ${status} of ${read} rows`);
    faults.push(...(await faultsOfVerdict(server, orgId, rows)));
    return fought(rounds, faults, `${rows} rows, ${ended} nights came to their end before`);
  });

/** Verifies the bundle of the whole log offline, with the server's published key. */
const verifyBundle = (server: Server, orgId: string): Promise<string | null> =>
  withFolder(async (folder) => {
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
  });

/** Imitates a checkpoint without all of its tiles, and adds entries. */
async function loseATile(server: Server, credentials: Credentials): Promise<void> {
  const { orgId } = credentials;
  await verdictOn(server, orgId);
  await tamper(server, (tx) => tx`DELETE FROM audit_tree_tiles WHERE org_id = ${orgId} AND level = 0 AND idx = 1`);
  await addEntries(server, credentials, 10);
}

/** K3, tree: kills the server around the signing of a head and growth of its tree. */
const growUnderFire = (input: LineInput, damage: boolean): Promise<Found> =>
  withServer(async (server) => {
    const { rounds } = input;
    const credentials = await createFilled(server, ROWS_TO_SIGN);
    const { orgId } = credentials;
    const faults: string[] = [];
    for (let round = 0; round < rounds; round++) {
      input.progress(`kill ${round + 1}`);
      await addEntries(server, credentials, ROWS_TO_SIGN);
      // Half are signed on a caller's request, sooner than by the worker.
      if (round % 2) void verdictOn(server, orgId).catch(() => {});
      await sleep(input.random() * (round % 2 ? 300 : SIGNED_WITHIN_MS));
      await killOne(server, round);
      if (damage) await loseATile(server, credentials);
      faults.push(...(await faultsOfVerdict(server, orgId, (await chainOf(server, orgId)).head)));
      const broken = await verifyBundle(server, orgId).catch((error: unknown) => String(error));
      if (broken) faults.push(broken);
    }
    const { status } = await nightOf(server, orgId);
    if (status !== "intact") faults.push(`the night says ${status}`);
    return fought(rounds, faults, `${(await chainOf(server, orgId)).head} rows`);
  });

export const verificationLines = controlled({
  id: "K3-verification",
  title: "kill -9 of a nightly verification or PostgreSQL",
  control: "a changed row must be detected",
  controlRounds: 1,
  run: verifyUnderFire,
});

export const treeLines = controlled({
  id: "K3-tree",
  title: "kill -9 of the server and PostgreSQL while the tree grows and is signed",
  control: "a lost tree tile must be detected",
  controlRounds: 1,
  run: growUnderFire,
});
