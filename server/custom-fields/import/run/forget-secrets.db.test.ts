import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { toCsv } from "@/testing/import/files";
import { check, createDevices, createWorld, run, stageText } from "@/testing/import/imports";

const ROWS = 410;
const SECRETS = 97;

it("leaves nothing behind of many columns of secrets in more rows than one statement empties", async () => {
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
