import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { users } from "@/db/schema";
import { getImport } from "@/server/custom-fields/import/imports";
import { startRun, startUndo } from "@/server/custom-fields/import/start";
import type { Role } from "@/server/ground/permissions";
import { auditRows } from "@/testing/factories";
import { waiting } from "@/testing/held-rows";
import { checkText, createSimple, run } from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { importWork } from "./run-job";

async function arrange() {
  const world = await createSimple();
  const { ctx, admin } = world;
  const { id } = await checkText(ctx, world.text);
  const setRole = (role: Role) => asSystem((tx) => tx.update(users).set({ role }).where(eq(users.id, admin.id)));
  const get = () => getImport.run(ctx, { id });
  return { ctx, id, setRole, get };
}
type Arranged = Awaited<ReturnType<typeof arrange>>;

/**
 * Does the waiting work in the name of a person who may not import just then, which ends it; before that end is stored
 * another process has begun it again.
 */
async function endLate({ id, setRole }: Arranged): Promise<void> {
  await setRole("partner_technician");
  const { work } = await asSystem(async (held) => {
    const begun = await asSystem(async (tx) => {
      await tx.execute(sql`LOCK TABLE users IN ACCESS EXCLUSIVE MODE`);
      const work = importWork.run({ id }, { signal: new AbortController().signal, attempt: 1 });
      await expect.poll(waiting).toBe(1);
      await held.execute(sql`SELECT FROM custom_field_imports WHERE id = ${id}::uuid FOR UPDATE`);
      return { work };
    });
    await expect.poll(waiting).toBe(1);
    await setRole("partner_admin");
    await held.execute(sql`UPDATE custom_field_imports SET attempt = attempt + 1 WHERE id = ${id}::uuid`);
    return begun;
  });
  await work;
}

/** How the import's work has ended, by the audit log. */
const endsOf = async ({ ctx }: Arranged, kind: "finish" | "undo") =>
  (await auditRows(ctx.homeOrgId ?? ""))
    .filter(({ action }) => action === `custom_fields.import.${kind}`)
    .map(({ result, errorMessage }) => ({ result, errorMessage }));

it("a process that lost its run leaves recording its end to the successor", async () => {
  const arranged = await arrange();
  const { ctx, id, get } = arranged;
  await startRun.run(ctx, { id });
  await endLate(arranged);
  expect(await get()).toMatchObject({ status: "running", job: { name: "apply" } });
  expect(await endsOf(arranged, "finish")).toEqual([]);
  await workOff(importWork);
  expect(await get()).toMatchObject({ status: "done", error: null, summary: { run: { devices: 3 } } });
  expect(await endsOf(arranged, "finish")).toEqual([{ result: "success", errorMessage: null }]);
});

it("a process that lost its undo leaves recording its end to the successor", async () => {
  const arranged = await arrange();
  const { ctx, id, get } = arranged;
  await run(ctx, id);
  await startUndo.run(ctx, { id });
  await endLate(arranged);
  expect(await get()).toMatchObject({ status: "done", job: { name: "undo" } });
  expect(await endsOf(arranged, "undo")).toEqual([]);
  await workOff(importWork);
  expect(await get()).toMatchObject({ status: "undone", error: null });
  expect(await endsOf(arranged, "undo")).toEqual([{ result: "success", errorMessage: null }]);
});
