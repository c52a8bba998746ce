import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, describe, expect, it } from "vitest";
import { bundled } from "@/testing/bundled";
import { startNode } from "@/testing/program";
import { tempFolder } from "@/testing/temp-folder";
import { type Embedded, startEmbedded } from "./embedded";
import { isAlive, readPostmaster } from "./postmaster";

const folder = tempFolder();
chmodSync(folder, 0o711); // as root the server runs as another user, who must pass through
const dataDir = join(folder, "data");
const options = { durable: false };
const running: Embedded[] = [];

async function start(): Promise<Embedded> {
  const embedded = await startEmbedded(dataDir, options);
  running.push(embedded);
  return embedded;
}

async function answer(url: string): Promise<number> {
  const sql = postgres(url, { max: 1, connect_timeout: 5 });
  try {
    const [row] = await sql<{ one: number }[]>`SELECT 1 AS one`;
    return row?.one ?? 0;
  } finally {
    await sql.end();
  }
}

/** A separate process that starts the embedded server and stays, so that a test can kill it. */
const starter = bundled(`import { startEmbedded } from "@/db/embedded/embedded";
  const embedded = await startEmbedded(process.argv[2], { durable: false });
  console.log(embedded.pid());
  setInterval(() => {}, 1000);`);

async function startInChild(): Promise<{ child: ChildProcess; pid: number }> {
  const { child, said } = startNode([starter, dataDir], { env: process.env });
  const [pid] = await said(/^\d+(?=\n)/);
  return { child, pid: Number(pid) };
}

const waitFor = async (condition: () => boolean) => {
  for (let i = 0; i < 1_200 && !condition(); i++) await new Promise((done) => setTimeout(done, 50));
  expect(condition()).toBe(true);
};

afterEach(async () => {
  for (const embedded of running.splice(0)) await embedded.stop();
});

describe("the embedded PostgreSQL", () => {
  it("creates a cluster in an empty folder with private passwords", async () => {
    const embedded = await start();
    expect(embedded.attached).toBe(false);
    expect(await answer(embedded.ownerUrl)).toBe(1);
    expect(statSync(join(dataDir, "postgres.json")).mode & 0o777).toBe(0o600);
  });

  it("rejects a wrong password and listens only on loopback", async () => {
    const embedded = await start();
    const wrong = new URL(embedded.ownerUrl);
    wrong.password = "guessed";
    await expect(answer(wrong.href)).rejects.toMatchObject({ code: "28P01" });
    expect(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[5]).toBe("127.0.0.1");
  });

  it("keeps its port after a restart", async () => {
    const first = await start();
    await first.stop();
    expect(isAlive(first.pid())).toBe(false);
    const second = await start();
    expect(second.attached).toBe(false);
    expect(second.ownerUrl).toBe(first.ownerUrl);
  });

  it("runs until its last user stops", async () => {
    const first = await start();
    const second = await start();
    expect(second.attached).toBe(true);
    await first.stop();
    expect(await answer(second.ownerUrl)).toBe(1);
    await second.stop();
    expect(readPostmaster(join(dataDir, "postgres")).kind).toBe("none");
  });

  it("attaches to a server whose parent was killed, and stops it at the end", async () => {
    const { child, pid } = await startInChild();
    child.kill("SIGKILL");
    await waitFor(() => child.signalCode !== null);
    const embedded = await start();
    expect(embedded).toMatchObject({ attached: true });
    expect(embedded.pid()).toBe(pid);
    await embedded.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it("starts after parent and server were both killed", async () => {
    const { child, pid } = await startInChild();
    child.kill("SIGKILL");
    process.kill(pid, "SIGKILL");
    const embedded = await start();
    expect(embedded.attached).toBe(false);
    expect(await answer(embedded.ownerUrl)).toBe(1);
  });

  it("restarts a killed server under the same URL", async () => {
    const embedded = await start();
    const before = embedded.pid();
    process.kill(before, "SIGKILL");
    await waitFor(() => embedded.pid() !== before);
    expect(await answer(embedded.ownerUrl)).toBe(1);
  });

  it("does not mistake another program for its server with a stale PID file", async () => {
    const file = join(dataDir, "postgres", "postmaster.pid");
    writeFileSync(file, `${process.pid}\n${join(dataDir, "postgres")}\n1\n5432\n\n127.0.0.1\n\nready\n`);
    const embedded = await start();
    expect(embedded.attached).toBe(false);
    expect(await answer(embedded.ownerUrl)).toBe(1);
  });

  it("creates one cluster when two processes start at once", async () => {
    const both = join(folder, "both");
    const started = await Promise.all([startEmbedded(both, options), startEmbedded(both, options)]);
    running.push(...started);
    expect(started[0].ownerUrl).toBe(started[1].ownerUrl);
    expect(started.map((e) => e.attached).sort()).toEqual([false, true]);
  });

  it.runIf(process.getuid?.() === 0)("uses another folder when a parent folder is closed to its user", async () => {
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    const embedded = await startEmbedded(join(closed, "data"), options);
    running.push(embedded);
    expect(await answer(embedded.ownerUrl)).toBe(1);
    expect(embedded.cluster.startsWith(closed)).toBe(false);
    await embedded.stop();
    rmSync(embedded.cluster, { recursive: true });
  });

  it("explains how to fix a failed start", async () => {
    const other = join(folder, "other");
    mkdirSync(join(other, "postgres"), { recursive: true });
    writeFileSync(join(other, "postgres", "PG_VERSION"), "11\n");
    await expect(startEmbedded(other, options)).rejects.toThrow(/made by PostgreSQL 11[\s\S]*Set DATABASE_URL/);
  });
});
