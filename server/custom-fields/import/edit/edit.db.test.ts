import { describe, expect, it } from "vitest";
import { editValues, undoEdit } from "@/server/custom-fields/import/edit";
import { cancelImport, getImport } from "@/server/custom-fields/import/imports";
import { listFaults } from "@/server/custom-fields/import/plan";
import { MAX_IMPORT_ROWS } from "@/server/custom-fields/import/plan-schema";
import { listRows } from "@/server/custom-fields/import/rows";
import { importWork } from "@/server/custom-fields/import/run/run-job";
import { editInput, pickInput, rowsInput } from "@/server/custom-fields/import/schema";
import { startRun } from "@/server/custom-fields/import/start";
import type { Ctx } from "@/server/ground/context";
import {
  check,
  createDevices,
  createSimple,
  outcomesOf,
  run,
  simpleCsv,
  stageText,
  valuesOf,
} from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";

const TAG = 3;
const PATCHED = 4;
const text = simpleCsv(
  ["1", "PC1", "Acme", "A-1", "1", "1/31/2024"],
  ["2", "PC2", "Acme", "A-2", "maybe", "2/30/2024"],
  ["3", "PC3", "Acme", "B-1", "0", ""],
  ["4", "PX4", "Acme", "B-1", "1", ""],
  ["5", "PX5", "Acme", "B-2", "0", ""],
);
const cells = async (ctx: Ctx, id: string) =>
  (await listRows.run(ctx, { id, limit: 10 })).rows.map((row) => row.cells.map((cell) => cell.text));

async function checked() {
  const world = await createSimple(["PC1", "PC2", "PC3", "PC4", "PC5"]);
  const staged = await stageText(world.ctx, text);
  const state = await check(world.ctx, staged.id);
  return { ...world, id: staged.id, state };
}

describe("editing a value in place", () => {
  it("updates the check and counts immediately, and the run writes it", async () => {
    const { ctx, ids, id, state } = await checked();
    expect(state.summary.check).toMatchObject({ writes: { devices: 3, sourceIds: 3 } });
    expect(state.summary.check?.fields[1]).toMatchObject({ invalid: 1, set: 2 });
    const edited = await editValues.run(ctx, { id, edit: { kind: "cell", rowNo: 2, column: PATCHED, value: " 0 " } });
    expect(edited).toMatchObject({ status: "checked", job: null, summary: { edits: [{ column: PATCHED, rows: 1 }] } });
    expect(edited.summary.check?.fields[1]).toMatchObject({ invalid: 0, set: 3 });
    expect(edited.columns[PATCHED]?.misfits.boolean).toEqual({ count: 0, odd: [] });
    const done = await run(ctx, id);
    expect(done.summary.run).toMatchObject({ devices: 3, recordedSourceIds: 3 });
    expect(await valuesOf(ids[1] as string)).toEqual(["2/30/2024", "A-2", false]);
  });

  it("replaces a value across a column, and undo restores it exactly", async () => {
    const { ctx, id, state } = await checked();
    const before = await cells(ctx, id);
    const replace = (find: string, to: string, match: "cell" | "part") =>
      editValues.run(ctx, { id, edit: { kind: "replace", column: TAG, find, replace: to, match } });
    await replace("B-1", "B-2", "cell");
    const parts = await replace("-", ".", "part");
    expect(parts.summary.edits).toEqual([
      { column: TAG, rows: 2 },
      { column: TAG, rows: 5 },
    ]);
    expect((await cells(ctx, id)).map(([tag]) => tag)).toEqual(["A.1", "A.2", "B.2", "B.2", "B.2"]);
    await undoEdit.run(ctx, { id });
    expect((await cells(ctx, id)).map(([tag]) => tag)).toEqual(["A-1", "A-2", "B-2", "B-2", "B-2"]);
    const back = await undoEdit.run(ctx, { id });
    expect(await cells(ctx, id)).toEqual(before);
    expect(back.summary.check).toEqual(state.summary.check);
    await expect(undoEdit.run(ctx, { id })).rejects.toThrow("no change to undo");
    await expect(replace("nowhere", "x", "cell")).rejects.toThrow("No value");
  });

  it("rejects rows outside the file, invalid text and overlong values", async () => {
    const { ctx, id } = await checked();
    const replace = (find: string, to: string) => ({ kind: "replace", column: TAG, find, replace: to, match: "part" });
    const parse = (edit: unknown) => editInput.parse({ id, edit }).edit;
    for (const rowNo of [MAX_IMPORT_ROWS + 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(() => parse({ kind: "cell", rowNo, column: TAG, value: "x" })).toThrow();
      expect(() => pickInput.parse({ id, rowNo, deviceId: null })).toThrow();
      expect(() => rowsInput.parse({ id, cursor: rowNo })).toThrow();
    }
    await expect(editValues.run(ctx, { id, edit: parse(replace("\0", "x")) })).rejects.toThrow("No value");
    await expect(editValues.run(ctx, { id, edit: parse(replace("\ud800", "x")) })).rejects.toThrow("No value");
    expect(await listRows.run(ctx, rowsInput.parse({ id, search: "\0" }))).toMatchObject({ rows: [] });
    const nul = await editValues.run(ctx, {
      id,
      edit: parse({ kind: "cell", rowNo: 1, column: TAG, value: `a\0${"b".repeat(98)}` }),
    });
    expect(nul.summary.edits).toHaveLength(1);
    expect((await cells(ctx, id))[0]?.[0]).toBe(`a\ufffd${"b".repeat(98)}`);
    await expect(editValues.run(ctx, { id, edit: parse(replace("b", "c".repeat(10_000))) })).rejects.toThrow(
      "A value would become longer than 10000 characters. Nothing was changed.",
    );
    await editValues.run(ctx, { id, edit: parse(replace("b", "cc")) });
    expect((await cells(ctx, id))[0]?.[0]).toBe(`a\ufffd${"c".repeat(196)}`);
  });

  it("starts a new check if the value identifies a computer", async () => {
    const { ctx, id } = await checked();
    const edited = await editValues.run(ctx, { id, edit: { kind: "cell", rowNo: 4, column: 1, value: "PC4" } });
    expect(edited.job?.name).toBe("check");
    await workOff(importWork);
    expect((await getImport.run(ctx, { id })).summary.check?.rows).toMatchObject({ matched_hostname: 4 });
  });

  it.each([
    ["all of them", { kind: "replace", column: TAG, find: "B", replace: "C", match: "part" }],
    ["one of them", { kind: "cell", rowNo: 2, column: TAG, value: "C-1" }],
  ] as const)("prevents two rows from matching a newly enrolled device, edited %s", async (_, edit) => {
    const { ctx, a, partnerId } = await createSimple(["PC1"]);
    const row = (id: string, name: string, tag: string) => [id, name, "", tag, "", ""];
    const staged = await stageText(
      ctx,
      simpleCsv(row("1", "PC1", "A-1"), row("", "WS-5", "B-1"), row("", "WS-5", "B-2")),
    );
    expect((await check(ctx, staged.id)).summary.check?.rows).toMatchObject({ matched_hostname: 1, not_found: 2 });
    const [late] = await createDevices(partnerId, [{ orgId: a.id, hostname: "WS-5" }]);
    await editValues.run(ctx, { id: staged.id, edit });
    await workOff(importWork);
    expect(await outcomesOf(ctx, staged)).toEqual(["matched_hostname", "identity_conflict", "identity_conflict"]);
    const state = await getImport.run(ctx, staged);
    expect(state).toMatchObject({ status: "checked", summary: { edits: [{ column: TAG }] } });
    expect(state.summary.check?.rows).toMatchObject({ matched_hostname: 1, identity_conflict: 2, not_found: 0 });
    expect((await run(ctx, staged.id)).summary.run).toMatchObject({ devices: 1 });
    expect(await valuesOf(late ?? "")).toBeNull();
  });

  it("leaves no valid check if the new one is canceled", async () => {
    const { ctx, id } = await checked();
    await editValues.run(ctx, { id, edit: { kind: "cell", rowNo: 4, column: 1, value: "PC4" } });
    await cancelImport.run(ctx, { id });
    await workOff(importWork);
    expect(await getImport.run(ctx, { id })).toMatchObject({ status: "staged", job: null, error: null });
    await expect(startRun.run(ctx, { id })).rejects.toThrow("has not been checked");
    expect((await check(ctx, id)).summary.check?.rows).toMatchObject({ matched_hostname: 4 });
  });

  it("resolves an unknown choice for every row that has it", async () => {
    const { ctx, id } = await checked();
    await run(ctx, id);
    const again = await stageText(ctx, text.replaceAll("maybe", "perhaps"));
    expect((await listFaults.run(ctx, again)).faults).toHaveLength(1);
    const edit = { kind: "replace", column: PATCHED, find: "perhaps", replace: "no", match: "cell" } as const;
    await editValues.run(ctx, { id: again.id, edit });
    expect((await listFaults.run(ctx, again)).faults).toEqual([]);
  });

  it("finds rows by name or value", async () => {
    const { ctx, id } = await checked();
    const found = async (search: string) =>
      (await listRows.run(ctx, { id, limit: 10, search })).rows.map(({ rowNo }) => rowNo);
    expect(await found("px")).toEqual([4, 5]);
    expect(await found("a-2")).toEqual([2]);
    expect(await found("%")).toEqual([]);
  });
});
