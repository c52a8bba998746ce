import { expect, it } from "vitest";
import { listRows } from "@/server/custom-fields/import/rows";
import { call } from "@/testing/factories";
import { toCsv } from "@/testing/import/files";
import { check, createDevices, createWorld, run, stageText, valuesOf } from "@/testing/import/imports";

it("does not write a field hidden by the organization's own field of the same key", async () => {
  const { ctx, admin, partnerId, a, b } = await createWorld();
  const rack = { name: "Rack", fieldKey: "rack", type: "text" };
  for (const body of [rack, { ...rack, orgId: a.id, deviceTypes: ["windows"] }])
    expect((await call(admin, "POST /custom-fields", body)).status).toBe(201);
  const ids = await createDevices(partnerId, [
    { orgId: a.id, hostname: "PC1" },
    { orgId: a.id, hostname: "PC2", os: "linux" },
    { orgId: b.id, hostname: "PC3" },
  ]);
  const rows = ids.map((_, i) => [`PC${i + 1}`, `R${i + 1}`]);
  const staged = await stageText(ctx, toCsv([["Computer Name", "Rack"], ...rows]));
  const checked = await check(ctx, staged.id);
  expect(checked.summary.check?.fields[0]).toMatchObject({ set: 2, invalid: 1 });
  const { rows: shown } = await listRows.run(ctx, { id: staged.id, limit: 10 });
  expect(shown.map(({ cells }) => [cells[0]?.outcome, cells[0]?.reason])).toEqual([
    ["invalid", "does not apply to this kind of device, or its organization has its own field rack"],
    ["set", null],
    ["set", null],
  ]);
  await run(ctx, staged.id);
  expect(await Promise.all(ids.map(valuesOf))).toEqual([null, ["R2"], ["R3"]]);
});
