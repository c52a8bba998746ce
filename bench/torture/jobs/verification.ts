import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startShared } from "@/bench/torture/folder";
import { type Credentials, signIn } from "@/bench/torture/load";
import { runProduct, startProduct } from "@/bench/torture/product";
import type { LineInput } from "@/bench/torture/types";
import { killPostgres, killServer, type Server, stopServer } from "@/testing/server";
import { type Fight, killedJob } from "./fight";
import { addEntries, chainOf, createFilled, tamper, untilReady, withOwner } from "./organization";

const ROWS = 20_000;
/** From this number on a head is signed at the next poll, within five seconds (checkpoint-worker.ts). */
const ROWS_TO_SIGN = 1_100;
const SIGNED_WITHIN_MS = 5_000;

type Night = { organizations: { status: string; rowsChecked: number }[] };

async function night(server: Server, orgId: string): Promise<{ status: string; rows: number }> {
  const { out, err } = await runProduct(server, ["nightly", "--org", orgId, "--json"]);
  try {
    const { organizations }: Night = JSON.parse(out);
    return { status: organizations[0]?.status ?? "nothing", rows: organizations[0]?.rowsChecked ?? 0 };
  } catch {
    return { status: `unreadable: ${err || out}`, rows: 0 };
  }
}

async function verdict(server: Server, orgId: string): Promise<string> {
  const headers = { Authorization: `Bearer ${await signIn(server.base)}` };
  const answer = await fetch(`${server.base}/api/v1/audit-logs/integrity?orgId=${orgId}`, { headers });
  const body: { status?: string; code?: string; rowsChecked?: number } = await answer.json();
  return body.status ? `${body.status} of ${body.rowsChecked}` : `${body.code}`;
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
async function verifyUnderFire({ rounds, random, progress }: LineInput, damage: boolean): Promise<Fight> {
  const server = await startShared();
  try {
    const { orgId } = await createFilled(server, ROWS);
    const faults: string[] = [];
    for (let round = 0; round < rounds; round++) {
      progress(`kill ${round + 1}`);
      const { child, ended } = startProduct(server.dataDir, ["nightly", "--org", orgId]);
      await sleep(300 + random() * 1_500);
      if (round % 3 === 2) await killPostgres(server.dataDir);
      else child.kill("SIGKILL");
      const { code } = await ended;
      if (code === 1) faults.push("a killed night called the chain broken");
      await untilReady(server);
    }
    if (damage) await changeARow(server, orgId);
    const { rows } = await chainOf(server, orgId);
    const ended = await nightsOf(server, orgId);
    const { status, rows: read } = await night(server, orgId);
    if (status !== "intact" || (ended === 0 && read < ROWS))
      faults.push(`the next night says ${status} of ${read} rows`);
    const asked = await verdict(server, orgId);
    if (asked !== `intact of ${rows}` && asked !== `unproven of ${rows}`)
      faults.push(`verdict ${asked} rows, of ${rows}`);
    return { kills: rounds, faults, summary: `${rows} rows, ${ended} nights came to their end before` };
  } finally {
    await stopServer(server);
  }
}

/** Verifies the bundle of the whole log offline, with the server's published key. */
async function verifyBundle(server: Server, orgId: string): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), "trailmark-torture-bundle-"));
  try {
    const headers = { Authorization: `Bearer ${await signIn(server.base)}` };
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Imitates a checkpoint without all of its tiles, and adds entries. */
async function loseATile(server: Server, credentials: Credentials): Promise<void> {
  const { orgId } = credentials;
  await verdict(server, orgId);
  await tamper(server, (tx) => tx`DELETE FROM audit_tree_tiles WHERE org_id = ${orgId} AND level = 0 AND idx = 1`);
  await addEntries(server, credentials, 10);
}

/** K3, tree: kills the server around the signing of a head and growth of its tree. */
async function growUnderFire({ rounds, random, progress }: LineInput, damage: boolean): Promise<Fight> {
  let server = await startShared();
  try {
    const credentials = await createFilled(server, ROWS_TO_SIGN);
    const { orgId } = credentials;
    const faults: string[] = [];
    for (let round = 0; round < rounds; round++) {
      progress(`kill ${round + 1}`);
      await addEntries(server, credentials, ROWS_TO_SIGN);
      // Half are signed on a caller's request, sooner than by the worker.
      if (round % 2) void verdict(server, orgId).catch(() => {});
      await sleep(random() * (round % 2 ? 300 : SIGNED_WITHIN_MS));
      if (round % 3 === 2) {
        await killPostgres(server.dataDir);
        await untilReady(server);
      } else {
        await killServer(server);
        server = await startShared();
      }
      if (damage) await loseATile(server, credentials);
      const { head } = await chainOf(server, orgId);
      const asked = await verdict(server, orgId);
      if (asked !== `intact of ${head}` && asked !== `unproven of ${head}`)
        faults.push(`verdict ${asked} rows, of ${head}`);
      const broken = await verifyBundle(server, orgId).catch((error: unknown) => String(error));
      if (broken) faults.push(broken);
    }
    const { status } = await night(server, orgId);
    if (status !== "intact") faults.push(`the night says ${status}`);
    return { kills: rounds, faults, summary: `${(await chainOf(server, orgId)).head} rows` };
  } finally {
    await stopServer(server);
  }
}

export const verificationLines = killedJob({
  id: "K3-verification",
  title: "kill -9 of a nightly verification or PostgreSQL",
  damage: "a changed row",
  run: verifyUnderFire,
});

export const treeLines = killedJob({
  id: "K3-tree",
  title: "kill -9 of the server and PostgreSQL while the tree grows and is signed",
  damage: "a lost tree tile",
  run: growUnderFire,
});
