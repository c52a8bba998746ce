import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { portOf } from "@/testing/port-of";
import { connectApp } from "./connect";

const accepted = new Set<Socket>();
const database = new URL(inject("databaseUrl"));
/** Between the pool and PostgreSQL, to break what is between them at a moment of ours. */
const proxy = createServer((from) => {
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
  await once(proxy.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  for (const socket of accepted) socket.destroy();
  proxy.close();
});

it("a connection that closes between being told a statement and writing it answers the next one at once", async () => {
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
