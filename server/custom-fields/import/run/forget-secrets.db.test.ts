import { existsSync } from "node:fs";
import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { users } from "@/db/schema";
import { getImport } from "@/server/custom-fields/import/imports";
import { importFolder } from "@/server/custom-fields/import/record";
import { startRun } from "@/server/custom-fields/import/start";
import type { Role } from "@/server/ground/permissions";
import { toCsv } from "@/testing/import/files";
import { check, checkText, createDevices, createWorld, run, stageText } from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { importWork } from "./run-job";

const ROWS = 410;
const SECRETS = 97;

it("removes all secret values across more rows than one statement covers", async () => {
  const { ctx, partnerId, a } = await createWorld();
  await createDevices(partnerId, [{ orgId: a.id, hostname: "PC0" }]);
  const titles = Array.from({ length: SECRETS }, (_, i) => `Admin password ${i}`);
  const rows = Array.from({ length: ROWS }, (_, n) => [
    `${n + 1}`,
    `PC${n}`,
    ...titles.map((_, i) => `hunter ${n} of ${i}`),
    `Tag ${n}`,
  ]);
  const staged = await stageText(ctx, toCsv([["Computer ID", "Computer Name", ...titles, "Asset Tag"], ...rows]));
  const stored = () =>
    asSystem((tx) =>
      rowsOf<{ rows: number; secret: number; kept: number; cells: number }>(
        tx,
        sql`
        SELECT count(*)::int AS rows, (count(*) FILTER (WHERE cells::text LIKE '%hunter%'))::int AS secret,
          (count(*) FILTER (WHERE cells ->> 0 = row_no::text AND cells ->> -1 = 'Tag ' || row_no - 1))::int AS kept,
          min(jsonb_array_length(cells)) AS cells
        FROM custom_field_import_rows WHERE import_id = ${staged.id}::uuid`,
      ),
    );
  const before = { rows: ROWS, kept: ROWS, cells: SECRETS + 3 };
  expect(await stored()).toEqual([{ ...before, secret: ROWS }]);
  const done = await run(ctx, (await check(ctx, staged.id)).id);
  expect(done).toMatchObject({ status: "done", error: null, summary: { run: { devices: 1 } } });
  expect(await stored()).toEqual([{ ...before, secret: 0 }]);
});

it("removes secret values and files of a run that fails midway", async () => {
  const { ctx, partnerId, a, admin } = await createWorld();
  await createDevices(partnerId, [{ orgId: a.id, hostname: "PC0" }]);
  const titles = ["Computer ID", "Computer Name", "Admin password", "Asset Tag"];
  const { id } = await checkText(ctx, toCsv([titles, ["1", "PC0", "hunter2", "Tag 0"]]));
  await startRun.run(ctx, { id });
  const setRole = (role: Role) => asSystem((tx) => tx.update(users).set({ role }).where(eq(users.id, admin.id)));
  await setRole("partner_technician");
  await workOff(importWork);
  await setRole("partner_admin");
  expect(await getImport.run(ctx, { id })).toMatchObject({ status: "cancelled", error: expect.any(String) });
  const [stored] = await asSystem((tx) =>
    rowsOf<{ cells: string; columns: string }>(
      tx,
      sql`
      SELECT r.cells::text AS cells, i.columns::text AS columns
      FROM custom_field_import_rows r JOIN custom_field_imports i ON i.id = r.import_id
      WHERE i.id = ${id}::uuid`,
    ),
  );
  expect(stored?.cells).toContain("Tag 0");
  expect(JSON.stringify(stored)).not.toContain("hunter");
  expect(existsSync(importFolder(id))).toBe(false);
});
