import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { asSystem, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { countShared } from "./shared";

/** The rule as another process has it: with nothing in its memory. */
async function anotherProcess() {
  vi.resetModules();
  return import("./rate-limit");
}

it("counts the failures of an account for all processes", async () => {
  const email = `${randomUUID()}@contoso.example`;
  for (let n = 0; n < 10; n++) {
    const { limit, requireAttemptsLeft } = await anotherProcess();
    await requireAttemptsLeft("login.failed", email);
    await limit("login.failed", email);
  }
  const { requireAttemptsLeft } = await anotherProcess();
  await expect(requireAttemptsLeft("login.failed", email)).rejects.toMatchObject({ code: "rate_limited" });
  await expect(requireAttemptsLeft("login.failed", `other-${email}`)).resolves.toBeUndefined();
});

it("begins again when the window is over, and sweeps what expired", async () => {
  const [key, brief] = [randomUUID(), randomUUID()];
  expect((await countShared("made up", key, 60)).points).toBe(1);
  expect((await countShared("made up", key, 60)).points).toBe(2);
  expect((await countShared("made up", brief, 0.2)).points).toBe(1);
  await expect.poll(async () => (await countShared("made up", brief, 0.2)).points).toBe(1);
});

it("loses no attempt among many at once", async () => {
  const key = randomUUID();
  const counted = await Promise.all(Array.from({ length: 20 }, () => countShared("made up", key, 60)));
  expect(Math.max(...counted.map(({ points }) => points))).toBe(20);
});

it("shows no one what is counted", async () => {
  await countShared("made up", "person@contoso.example", 60);
  const read = sql`SELECT key FROM shared_limits`;
  const scope = { kind: "organization", orgIds: [randomUUID()], partnerId: "" } as const;
  expect(await tenant(scope, (tx) => rowsOf(tx, read))).toEqual([]);
  expect(JSON.stringify(await asSystem((tx) => rowsOf(tx, read)))).not.toContain("contoso");
});
