import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { connectApp } from "@/db/connect";
import { survivable } from "@/db/survive";
import { listen, portOf } from "@/testing/port-of";

/** PostgreSQL's refusals of a connection. */
const FIELDS = "SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0";
const STARTING_UP = Buffer.concat([Buffer.from("E"), Buffer.alloc(4), Buffer.from(FIELDS)]);
STARTING_UP.writeUInt32BE(STARTING_UP.length - 1, 1);

const accepted = new Set<Socket>();
const database = new URL(inject("databaseUrl"));
/** Between the pool and PostgreSQL, to break what is between them at a chosen moment. */
let refuses = false;
const proxy = createServer((from) => {
  if (refuses) return void from.once("data", () => from.end(STARTING_UP));
  const to = connect(Number(database.port), database.hostname);
  accepted.add(from);
  for (const [one, other] of [
    [from, to],
    [to, from],
  ] as const)
    one
      .on("error", () => {})
      .on("close", () => other.destroy())
      .pipe(other);
});
const address = () => Object.assign(new URL(database), { port: String(portOf(proxy)) }).href;

beforeAll(async () => {
  await listen(proxy);
});
afterAll(() => {
  for (const socket of accepted) socket.destroy();
  proxy.close();
});

it("a connection that closes before a statement is written serves the next immediately", async () => {
  const pool = connectApp({ name: "test", url: address(), max: 1, connect_timeout: 60 });
  for (let round = 0; round < 5; round++) {
    expect(await pool`SELECT ${round}::int AS n`).toEqual([{ n: round }]);
    // In a timer: what is read from sockets comes next, and only then what is written.
    await sleep(10);
    for (const socket of accepted) socket.destroy();
    accepted.clear();
    const told = pool`SELECT 2`.then(
      () => "answered",
      ({ code }) => code,
    );
    expect(["CONNECTION_CLOSED", "ECONNRESET", "EPIPE"]).toContain(await told);
    const next = await Promise.race([pool`SELECT 3 AS three`, sleep(20_000, "nothing", { ref: false })]);
    expect(next).toEqual([{ three: 3 }]);
  }
  await pool.end({ timeout: 1 });
});

it("after a connection closes during a statement, a refused reconnect fails immediately", async () => {
  const pool = connectApp({ name: "test", url: address(), max: 1, connect_timeout: 60 });
  const codeOf = (work: Promise<unknown>) =>
    Promise.race([
      work.then(
        () => "answered",
        ({ code }) => code,
      ),
      sleep(20_000, "nothing", { ref: false }),
    ]);
  for (let round = 0; round < 5; round++) {
    expect(await pool`SELECT ${round}::int AS n`).toEqual([{ n: round }]);
    const running = codeOf(pool`SELECT pg_sleep(20)`);
    await sleep(50);
    refuses = true;
    for (const socket of accepted) round % 2 ? socket.resetAndDestroy() : socket.end();
    accepted.clear();
    expect(await running).toBe(round % 2 ? "ECONNRESET" : "CONNECTION_CLOSED");
    expect(await codeOf(pool`SELECT 2`)).toBe("57P03");
    expect(await codeOf(pool.begin((tx) => tx`SELECT 2`))).toBe("57P03");
    refuses = false;
  }
  await pool.end({ timeout: 1 });
});

it("a statement terminated by PostgreSQL fails immediately, and the next one works", async () => {
  const pool = connectApp({ name: "test", max: 1 });
  const killer = connectApp({ name: "test", max: 1 });
  const pidOf = async () => (await pool<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`)[0]?.pid ?? 0;
  for (let round = 0; round < 5; round++) {
    const pid = await pidOf();
    const running = pool`SELECT pg_sleep(20), ${round}::int`.catch(({ code }) => code);
    await expect
      .poll(
        () =>
          killer`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ${pid} AND wait_event = 'PgSleep'`,
      )
      .toHaveLength(1);
    expect(await running).toBe("57P01");
    expect(await pidOf()).not.toBe(pid);
  }
  await Promise.all([pool.end({ timeout: 1 }), killer.end({ timeout: 1 })]);
});

it("a transaction whose connection ends at BEGIN is retried", async () => {
  const fatal = Buffer.concat([
    Buffer.from("E"),
    Buffer.alloc(4),
    Buffer.from("SFATAL\0VFATAL\0C08P01\0Mserver closed\0\0"),
  ]);
  fatal.writeUInt32BE(fatal.length - 1, 1);
  let ends = 0;
  const pooler = createServer((from) => {
    const to = connect(Number(database.port), database.hostname);
    for (const socket of [from, to]) socket.on("error", () => {});
    from
      .on("close", () => to.destroy())
      .on("data", (chunk) => {
        if (ends === 0 || !chunk.includes("begin")) return void to.write(chunk);
        ends--;
        from.end(fatal);
      });
    to.on("close", () => from.destroy()).pipe(from);
  });
  const url = Object.assign(new URL(database), { port: String(await listen(pooler)) }).href;
  const pool = survivable(connectApp({ name: "test", url, max: 1 }));
  for (let round = 0; round < 5; round++) {
    expect(await pool`SELECT ${round}::int AS n`).toEqual([{ n: round }]);
    ends = 1;
    expect(await pool.begin((tx) => tx`SELECT ${round}::int AS n`)).toEqual([{ n: round }]);
    expect(ends).toBe(0);
  }
  await pool.end({ timeout: 1 });
  pooler.close();
});
