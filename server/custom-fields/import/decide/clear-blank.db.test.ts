import { describe, expect, it } from "vitest";
import { editValues, undoEdit } from "@/server/custom-fields/import/edit";
import { savePlan } from "@/server/custom-fields/import/plan";
import type { PlanField } from "@/server/custom-fields/import/plan-schema";
import { listRows } from "@/server/custom-fields/import/rows";
import { call } from "@/testing/factories";
import { toCsv } from "@/testing/import/files";
import { check, checkText, createSimple, type GivenFile, run, stageFiles, withFields } from "@/testing/import/imports";

const HEADER = ["Computer ID", "Computer Name", "Asset", "Warranty"];
const CLEARING: Partial<PlanField> = { action: "existing", overwrite: true, clearBlank: true };

/** Four computers that hold both fields. */
async function arrange() {
  const world = await createSimple(["PC1", "PC2", "PC3", "PC4"]);
  const rows = [1, 2, 3, 4].map((n) => [String(n), `PC${n}`, `A-${n}`, `W-${n}`]);
  const first = await checkText(world.ctx, toCsv([HEADER, ...rows]));
  const summary = { run: { devices: 4, recordedSourceIds: 4 } };
  expect(await run(world.ctx, first.id)).toMatchObject({ status: "done", error: null, summary });
  const stage = async (files: GivenFile[]) => {
    const staged = await stageFiles(world.ctx, files);
    const definition = (title: string) => first.plan?.fields.find(({ name }) => name === title)?.fieldId ?? null;
    const field = (title: string) => ({
      ...CLEARING,
      type: "text" as const,
      options: null,
      fieldId: definition(title),
    });
    const plan = withFields(staged, { Asset: field("Asset"), Warranty: field("Warranty") });
    await savePlan.run(world.ctx, { id: staged.id, plan });
    const checked = await check(world.ctx, staged.id);
    expect(checked).toMatchObject({ status: "checked", error: null });
    return checked;
  };
  const outcomes = async ({ id }: { id: string }) =>
    (await listRows.run(world.ctx, { id, limit: 100 })).rows.map(({ cells }) => cells.map(({ outcome }) => outcome));
  return { ...world, stage, outcomes };
}

describe("clearing values for blank cells", () => {
  it("applies only to blank cells, not to masks, errors or missing columns", async () => {
    const { stage, outcomes } = await arrange();
    const a = toCsv([HEADER.slice(0, 3), ["1", "PC1", ""], ["2", "PC2", "••••••"], ["3", "PC3", "#N/A"]]);
    const b = toCsv([
      [...HEADER.slice(0, 2), "Warranty"],
      ["4", "PC4", "W-5"],
    ]);
    const checked = await stage([
      { name: "a.csv", content: a },
      { name: "b.csv", content: b },
    ]);
    expect(await outcomes(checked)).toEqual([
      ["clear", "empty"],
      ["empty", "empty"],
      ["empty", "empty"],
      ["empty", "overwrite"],
    ]);
  });

  it("ignores values missing from a long file and default values of a dump", async () => {
    const { stage, outcomes } = await arrange();
    const long = "Computer ID,Computer Name,Field,Value\n1,PC1,Asset,\n1,PC1,Warranty,W-1\n2,PC2,Warranty,W-2\n";
    expect(await outcomes(await stage([{ name: "long.csv", content: long }]))).toEqual([
      ["clear", "same"],
      ["empty", "same"],
    ]);
    const extra = (Title: string, Value: string | null, IsDefaultValue: boolean) => ({
      Title,
      IsDefaultValue,
      TextFieldSettings: { Value },
    });
    const dump = [
      { Id: 1, ComputerName: "PC1", ExtraFields: [extra("Asset", "none", true), extra("Warranty", null, false)] },
    ];
    expect(await outcomes(await stage([{ name: "dump.json", content: JSON.stringify(dump) }]))).toEqual([
      ["empty", "clear"],
    ]);
  });

  it("skips a cell without a value after another cell in its row was edited and restored", async () => {
    const { ctx, stage, outcomes } = await arrange();
    const a = toCsv([HEADER.slice(0, 3), ["1", "PC1", "A-1"]]);
    const b = toCsv([
      [...HEADER.slice(0, 2), "Rack", "Warranty"],
      ["4", "PC4", "", "W-4"],
    ]);
    const { id, plan } = await stage([
      { name: "a.csv", content: a },
      { name: "b.csv", content: b },
    ]);
    const warranty = plan?.fields.find(({ name }) => name === "Warranty")?.column ?? 0;
    await editValues.run(ctx, { id, edit: { kind: "cell", rowNo: 1, column: warranty, value: "W-9" } });
    await undoEdit.run(ctx, { id });
    expect((await outcomes({ id }))[0]?.filter((outcome) => outcome !== "same")).toEqual(["empty"]);
  });

  it("reports no blank cell in rejected rows that never had a value", async () => {
    const { admin, ctx, stage } = await arrange();
    const text = toCsv([HEADER, ["1", "PC1", "#N/A", "W-1", "surplus"], ["2", "gone", "#N/A", ""]]);
    const { id } = await stage([{ name: "a.csv", content: text }]);
    const { text: rejected } = await call(admin, `GET /custom-fields/imports/${id}/rejected`);
    const again = rejected.replace("gone", "PC2").split("\r\n");
    const corrected = [again[0], again[2]].join("\r\n");
    const { id: next } = await stage([{ name: "again.csv", content: corrected }]);
    const { rows } = await listRows.run(ctx, { id: next, limit: 100 });
    expect(rows).toMatchObject([
      { outcome: "matched_source_id", reason: null, cells: [{ outcome: "empty" }, { held: "W-2", outcome: "clear" }] },
    ]);
  });
});
