import { describe, expect, it } from "vitest";
import { listDefinitions } from "@/server/custom-fields/definitions";
import { listFaults, savePlan } from "@/server/custom-fields/import/plan";
import type { ChoiceDecision } from "@/server/custom-fields/import/plan-schema";
import { listRows } from "@/server/custom-fields/import/rows";
import { startCheck } from "@/server/custom-fields/import/start";
import type { Ctx } from "@/server/ground/context";
import { toCsv } from "@/testing/import/files";
import {
  check,
  checkText,
  createDevices,
  createWorld,
  run,
  stageText,
  valuesOf,
  withFields,
} from "@/testing/import/imports";

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

describe("an import into existing fields", () => {
  it("conflicts only when its values do not fit, however few there are", async () => {
    const { ctx } = await imported();
    const small = await stageText(ctx, toCsv([HEADER, ["1", "PC1", "Finance", "1/15/2026"], ["2", "PC2", "it", ""]]));
    expect(await listFaults.run(ctx, small)).toEqual({ faults: [], unknown: [] });
    expect((await check(ctx, small.id)).summary.check?.rows).toMatchObject({ matched_source_id: 2 });
  });

  it("reports which values do not fit and where, and is checked once resolved", async () => {
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

describe("a hostname that moved to another computer", () => {
  it("is an identity conflict that names both IDs and rows", async () => {
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

describe("values outside a dropdown's choices", () => {
  const decisions: ChoiceDecision[] = [
    { text: "Fin.", action: "map", to: "Finance" },
    { text: "Legal", action: "add" },
    { text: "n/a", action: "skip" },
  ];
  const rows = [
    ["1", "PC1", "Fin.", ""],
    ["2", "PC2", "Legal", ""],
    ["3", "PC3", "n/a", ""],
    ["4", "PC4", "Legal", ""],
    ["5", "PC5", "n/a", ""],
    ["13", "PC13", "Fin.", ""],
    ["14", "PC14", "Legal", ""],
  ];

  /** The world of a first import with two devices more, and a file whose departments are none of the choices. */
  async function unknown() {
    const world = await imported();
    const ids = await createDevices(world.partnerId, [
      { orgId: world.a.id, hostname: "PC13" },
      { orgId: world.a.id, hostname: "PC14" },
    ]);
    const staged = await stageText(world.ctx, toCsv([HEADER, ...rows]));
    const decide = (list: ChoiceDecision[]) =>
      savePlan.run(world.ctx, { id: staged.id, plan: withFields(staged, { Department: { decisions: list } }) });
    return { ...world, ids, staged, decide };
  }
  const departmentOf = async (ctx: Ctx) => (await listDefinitions.run(ctx, {})).data.find((d) => d.type === "dropdown");

  it("are listed with counts and can be mapped, added or left out", async () => {
    const { ctx, ids, staged, decide } = await unknown();
    const found = await listFaults.run(ctx, staged);
    const values = [
      { text: "Legal", uses: 3, line: 3 },
      { text: "Fin.", uses: 2, line: 2 },
      { text: "n/a", uses: 2, line: 4 },
    ];
    expect(found.unknown).toEqual([{ column: 2, count: 7, different: 3, values }]);
    await decide(decisions.slice(0, 1));
    expect((await listFaults.run(ctx, staged)).unknown).toEqual([{ column: 2, count: 5, different: 2, values }]);
    await expect(startCheck.run(ctx, staged)).rejects.toThrow(/^Department: 5 of 7 values do not fit/);
    await decide(decisions);
    expect((await listFaults.run(ctx, staged)).faults).toEqual([]);
    const checked = await check(ctx, staged.id);
    expect(checked.summary.check?.fields[0]).toMatchObject({ set: 2, same: 1, kept: 2, left_out: 2, invalid: 0 });
    expect((await departmentOf(ctx))?.options).toEqual(["Finance", "IT", "Sales"]);
    await run(ctx, staged.id);
    expect(await valuesOf(ids[0] as string)).toEqual(["Finance"]);
    expect(await valuesOf(ids[1] as string)).toEqual(["Legal"]);
    expect((await departmentOf(ctx))?.options).toEqual(["Finance", "IT", "Sales", "Legal"]);
  });

  it("use the remembered decision for the next file, which then writes nothing", async () => {
    const { ctx, staged, decide } = await unknown();
    await decide(decisions);
    await check(ctx, staged.id);
    await run(ctx, staged.id);
    const again = await stageText(ctx, toCsv([HEADER, ...rows]));
    expect((await listFaults.run(ctx, again)).faults).toEqual([]);
    await check(ctx, again.id);
    expect((await run(ctx, again.id)).summary.run).toMatchObject({ devices: 0, recordedSourceIds: 0 });
  });

  it("need a new decision when the old one is withdrawn or its choice is deleted", async () => {
    const { ctx, staged, decide } = await unknown();
    await decide(decisions);
    await decide(decisions.slice(1));
    expect((await listFaults.run(ctx, staged)).unknown).toMatchObject([{ count: 2, different: 1 }]);
    await decide([{ text: "Fin.", action: "map", to: "Gone" }, ...decisions.slice(1)]);
    await expect(startCheck.run(ctx, staged)).rejects.toThrow(/^Department: Fin\. is mapped to Gone/);
  });

  it("never override a value that fits", async () => {
    const { ctx, staged, decide } = await unknown();
    await decide([...decisions, { text: "Sales", action: "map", to: "IT" }]);
    await check(ctx, staged.id);
    const skipped = { Department: { decisions: [{ text: "Sales", action: "skip" as const }] } };
    const same = await checkText(ctx, toCsv([HEADER, ["2", "PC2", "Sales", ""]]), skipped);
    expect(same.summary.check?.fields[0]).toMatchObject({ same: 1, left_out: 0 });
  });
});
