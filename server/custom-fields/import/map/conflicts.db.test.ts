import { describe, expect, it } from "vitest";
import { listFaults } from "@/server/custom-fields/import/list-faults";
import { listRows } from "@/server/custom-fields/import/list-rows";
import { savePlan } from "@/server/custom-fields/import/save-plan";
import { startCheck } from "@/server/custom-fields/import/start";
import { toCsv } from "@/testing/import-files";
import { check, createDevices, createWorld, run, stageText, withFields } from "@/testing/imports";

const HEADER = ["Computer ID", "Computer Name", "Department", "Bought"];
const DEPARTMENTS = ["Finance", "Sales", "IT"];
const wide = Array.from({ length: 12 }, (_, i) => [
  String(i + 1),
  `PC${i + 1}`,
  DEPARTMENTS[i % 3] ?? "",
  `${1 + i}/15/2026`,
]);

/** Twelve computers of a first import, which has made a dropdown and a date of its columns. */
async function imported() {
  const world = await createWorld();
  const given = wide.map(([, hostname = ""]) => ({ orgId: world.a.id, hostname }));
  await createDevices(world.partnerId, given);
  const first = await stageText(world.ctx, toCsv([HEADER, ...wide]));
  expect(first.plan?.fields.map(({ type }) => type).slice(2)).toEqual(["dropdown", "date"]);
  await check(world.ctx, first.id);
  await run(world.ctx, first.id);
  return world;
}

describe("a file for fields that exist", () => {
  it("is in conflict only where its values do not fit them, however few it has", async () => {
    const { ctx } = await imported();
    const small = await stageText(ctx, toCsv([HEADER, ["1", "PC1", "Finance", "1/15/2026"], ["2", "PC2", "it", ""]]));
    expect(await listFaults.run(ctx, small)).toEqual({ faults: [], unknown: [] });
    expect((await check(ctx, small.id)).summary.check?.rows).toMatchObject({ matched_source_id: 2 });
  });

  it("tells how many values do not fit, which, and where, and is checked once that is settled", async () => {
    const { ctx } = await imported();
    const rows = [
      ["1", "PC1", "Finanse", "1/15/2026"],
      ["2", "PC2", "Finanse", "2/30/2027"],
      ["3", "PC3", "Sales", "3/15/2026"],
    ];
    const staged = await stageText(ctx, toCsv([HEADER, ...rows]));
    const { faults, unknown } = await listFaults.run(ctx, staged);
    expect(faults.map(({ message }) => message)).toEqual([
      "2 of 3 values do not fit the field: choose how to handle this",
      "1 of 3 values does not fit the field: choose how to handle this",
    ]);
    expect(unknown).toEqual([{ column: 2, count: 2, different: 1, values: [{ text: "Finanse", uses: 2, line: 2 }] }]);
    expect(staged.columns[3]?.misfits.mdy).toEqual({ count: 1, odd: [{ text: "2/30/2027", line: 3 }] });
    await expect(startCheck.run(ctx, staged)).rejects.toThrow(/^Department: 2 of 3 values do not fit/);
    const accepted = { typeConflictAccepted: true };
    const plan = withFields(staged, { Department: accepted, Bought: accepted });
    await savePlan.run(ctx, { id: staged.id, plan });
    expect((await check(ctx, staged.id)).summary.check?.fields.map(({ invalid }) => invalid)).toEqual([2, 1]);
  });
});

describe("a hostname that went to another computer", () => {
  it("is an identity conflict that names both IDs and both rows", async () => {
    const { ctx } = await imported();
    const rows = [
      ["3", "PC3", "Sales", ""],
      ["199", "PC3", "IT", ""],
    ];
    const staged = await stageText(ctx, toCsv([HEADER, ...rows]));
    expect((await check(ctx, staged.id)).summary.check?.rows).toMatchObject({
      matched_source_id: 1,
      identity_conflict: 1,
      not_found: 0,
    });
    const { rows: listed } = await listRows.run(ctx, { id: staged.id, outcome: "identity_conflict", limit: 10 });
    expect(listed[0]).toMatchObject({
      rowNo: 2,
      candidates: [{ hostname: "PC3" }],
      related: [{ rowNo: 1, sourceId: "3" }],
    });
    expect(listed[0]?.reason).toMatch(/source ID 199, but the device called PC3 is recorded under 3/);
  });
});
