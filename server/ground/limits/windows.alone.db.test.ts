import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { asSystem, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { limit } from "./windows";

/** The rule as another process has it: with nothing in its memory. */
async function anotherProcess() {
  vi.resetModules();
  return import("./windows");
}

it("counts an account's failures across processes", async () => {
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

it("counts each of many concurrent attempts", async () => {
  const key = randomUUID();
  const tried = await Promise.allSettled(Array.from({ length: 20 }, () => limit("login.failed", key)));
  expect(tried.filter(({ status }) => status === "rejected")).toHaveLength(10);
});

it("starts over after the window", async () => {
  const key = randomUUID();
  for (let n = 0; n < 10; n++) await limit("login.failed", key);
  await expect(limit("login.failed", key)).rejects.toMatchObject({ code: "rate_limited" });
  await asSystem((tx) => tx.execute(sql`UPDATE shared_limits SET expire = expire - 900 * 1000`));
  await expect(limit("login.failed", key)).resolves.toBeUndefined();
});

it("hides counters and keys from tenants", async () => {
  await limit("login.failed", "person@contoso.example");
  const read = sql`SELECT key FROM shared_limits`;
  const scope = { kind: "organization", orgIds: [randomUUID()], partnerId: "" } as const;
  expect(await tenant(scope, (tx) => rowsOf(tx, read))).toEqual([]);
  expect(JSON.stringify(await asSystem((tx) => rowsOf(tx, read)))).not.toContain("contoso");
});
