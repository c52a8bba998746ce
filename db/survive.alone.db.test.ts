import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { afterAll, afterEach, beforeEach, expect, inject, it } from "vitest";
import { listen } from "@/testing/port-of";
import { asSystem, type Tx } from "./client";
import { survivable } from "./survive";

const owner = postgres(inject("ownerDatabaseUrl"), { max: 1, onnotice: () => {} });
afterAll(() => owner.end({ timeout: 5 }));

let thrown: Error[] = [];
const note = (error: Error) => thrown.push(error);
beforeEach(() => {
  thrown = [];
  process.on("uncaughtException", note);
});
afterEach(() => process.off("uncaughtException", note));

/** Ends the transaction's connection in a moment; gone resolves when PostgreSQL has ended it. */
async function killSoon(tx: Tx, ms: number): Promise<{ gone: Promise<unknown> }> {
  const [me] = (await tx.execute(sql`SELECT pg_backend_pid() AS pid`)) as unknown as { pid: number }[];
  return { gone: sleep(ms).then(() => owner`SELECT pg_terminate_backend(${me?.pid ?? 0}, 20000)`) };
}

async function expectAlive(): Promise<void> {
  await sleep(100);
  expect(thrown).toEqual([]);
  // More than the pool holds, at once: every connection of it is usable.
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => asSystem((tx) => tx.execute(sql`SELECT 1 AS one, pg_sleep(0.02)`))),
  );
  expect(answers.map((rows) => (rows as unknown as { one: number }[])[0]?.one)).toEqual(Array(20).fill(1));
}

it("a transaction whose connection dies during a statement fails, and the pool continues", async () => {
  for (let round = 0; round < 6; round++) {
    const work = asSystem(async (tx) => {
      await killSoon(tx, 30);
      await tx.execute(sql`SELECT pg_sleep(25)`);
    });
    await expect(work).rejects.toThrow();
  }
  await expectAlive();
});

it("a transaction whose connection dies between statements never moves to another", async () => {
  let late: Promise<unknown> = Promise.resolve();
  for (let round = 0; round < 6; round++) {
    const work = asSystem(async (tx) => {
      const { gone } = await killSoon(tx, 10);
      late = (async () => {
        await gone;
        await sleep(200);
        return tx.execute(sql`SELECT 1`);
      })();
      await late;
    });
    await expect(work).rejects.toThrow();
    await expect(late).rejects.toThrow();
  }
  await expectAlive();
});

it("an error in a transaction rolls back and is reported", async () => {
  const work = asSystem(async (tx) => {
    await tx.execute(sql`CREATE TEMPORARY TABLE survive_test (n int)`);
    throw new Error("on purpose");
  });
  await expect(work).rejects.toThrow("on purpose");
  await expect(asSystem((tx) => tx.execute(sql`SELECT 1 / 0`))).rejects.toThrow();
  await expectAlive();
});

/** A pooler's last word to a client: a fatal error, and the end of the connection a moment later. */
const FATAL = (() => {
  const fields = Buffer.from("SFATAL\0VFATAL\0C08P01\0Mquery_wait_timeout\0\0");
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

it("a transaction ended by a pooler fails immediately, and its connection is usable again", async () => {
  const direct = new URL(inject("databaseUrl"));
  const clients = new Set<Socket>();
  const pooler = createServer((client) => {
    clients.add(client);
    const server = connect(Number(direct.port || 5432), direct.hostname);
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on("error", () => {});
    client.on("close", () => server.destroy());
  });
  const port = await listen(pooler);
  const url = Object.assign(new URL(direct), { hostname: "127.0.0.1", port: String(port) }).href;
  const pool = survivable(postgres(url, { max: 1, prepare: false, fetch_types: false, onnotice: () => {} }));
  try {
    for (let round = 0; round < 4; round++) {
      // Begun before the last connection is gone it may fail with that one, which is as well.
      let isOver = false;
      const outcome = pool
        .begin((tx) => [tx`SELECT pg_sleep(30)`])
        .then(() => "done", String)
        .finally(() => (isOver = true));
      await sleep(200);
      await expect.poll(() => isOver || clients.size > 0).toBe(true);
      for (const client of clients) {
        client.write(FATAL);
        setTimeout(() => client.destroy(), 50);
      }
      clients.clear();
      expect(await Promise.race([outcome, sleep(20_000).then(() => "nothing within twenty seconds")])).toMatch(
        /query_wait_timeout|CONNECTION_CLOSED/,
      );
    }
    await expect.poll(() => pool.begin((tx) => tx`SELECT 1 AS one`).catch(String)).toEqual([{ one: 1 }]);
    expect(thrown).toEqual([]);
  } finally {
    await pool.end({ timeout: 1 });
    pooler.close();
  }
});
