import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem, type Tx, tenant } from "@/db/client";
import { rowsAtOnce } from "@/server/custom-fields/import/decide/batch-size";
import { findImport, partnerScope } from "@/server/custom-fields/import/record";
import { toCsv } from "@/testing/import/files";
import { createDevices, createWorld, stageText } from "@/testing/import/imports";
import { Cancelled } from "./attempt";
import { checkRows } from "./check";

const [ROWS, COLUMNS] = [300, 90];

/** An import of two rounds of rows, of which the last row alone has a device. */
async function arrange() {
  const { ctx, partnerId, a } = await createWorld();
  await createDevices(partnerId, [{ orgId: a.id, hostname: `PC${ROWS}` }]);
  const titles = Array.from({ length: COLUMNS }, (_, i) => `Field ${i}`);
  const rows = Array.from({ length: ROWS }, (_, n) => [`PC${n + 1}`, ...titles.map((_, i) => `${i}`)]);
  const { id } = await stageText(ctx, toCsv([["Computer Name", ...titles], ...rows]));
  const found = await tenant(ctx.scope, (tx) => findImport(tx, ctx, id));
  expect(rowsAtOnce(found)).toBeLessThan(ROWS);
  return { found, scope: partnerScope(ctx) };
}

/** Statements that wait for the values of devices; asked on the connection that holds them, the others may all be taken. */
async function waiting(tx: Tx): Promise<number | undefined> {
  const [row] = await tx.execute<{ n: number }>(sql`
    SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'custom_field_values'::regclass`);
  return row?.n;
}

it("a stopped check ends after its read-ahead rows, with no later statement", async () => {
  const { found, scope } = await arrange();
  // As in a check of many rounds: statements that are sent often are prepared, and leave without waiting for one another.
  for (const _ of [1, 2, 3]) await checkRows(found, scope, async () => {});
  const ends: string[] = [];
  const { checking } = await asSystem(async (tx) => {
    await tx.execute(sql`LOCK TABLE custom_field_values IN ACCESS EXCLUSIVE MODE`);
    const checking = checkRows(found, scope, () => Promise.reject(new Cancelled())).catch((error: unknown) => {
      ends.push("check");
      return error;
    });
    await expect.poll(() => waiting(tx)).toBe(1);
    ends.push("statement");
    return { checking };
  });
  expect(await checking).toBeInstanceOf(Cancelled);
  expect(ends).toEqual(["statement", "check"]);
});
