import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { type auditLogs, users } from "@/db/schema";
import { listDefinitions, removeDefinition } from "@/server/custom-fields/definitions";
import { cancelImport, getImport } from "@/server/custom-fields/import/imports";
import { listRows } from "@/server/custom-fields/import/rows";
import { startRun, startUndo } from "@/server/custom-fields/import/start";
import { setDeviceValues } from "@/server/custom-fields/set-values";
import type { Role } from "@/server/ground/permissions";
import { auditRows, createOrg, ctxFor } from "@/testing/factories";
import { atOnce, whileHeld } from "@/testing/held-rows";
import { toCsv } from "@/testing/import/files";
import { checkText, createDevices, createWorld, runText, simpleCsv } from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { importWork } from "./run-job";

const ROWS = 2_300;
/** Rows with a device: each in a transaction of its own. */
const MATCHED = [5, 1_205, 2_290];

/** Three devices, two of Acme and then one of Beta, that hold a rack; a checked file gives each a tag, and IDs are known. */
async function arrange() {
  const world = await createWorld();
  const { ctx, partnerId, a, b } = world;
  const ids = await createDevices(
    partnerId,
    MATCHED.map((row, i) => ({ orgId: (i < 2 ? a : b).id, hostname: `PC${row}` })),
  );
  const racks = [["Computer ID", "Computer Name", "Rack"], ...MATCHED.map((row) => [`${row}`, `PC${row}`, `R${row}`])];
  await runText(ctx, toCsv(racks));
  const rows = Array.from({ length: ROWS }, (_, n) => [`${n + 1}`, `PC${n + 1}`, `Tag ${n + 1}`]);
  const { id } = await checkText(ctx, toCsv([["Computer ID", "Computer Name", "Asset Tag"], ...rows]));
  return { ...world, ids, id };
}

/** The values of a device, held: the waiting work comes as far as there. */
const valuesOf = (deviceId: string | undefined) =>
  sql`SELECT FROM custom_field_values WHERE device_id = ${deviceId}::uuid FOR UPDATE`;
const work = () => workOff(importWork);

type Entry = typeof auditLogs.$inferSelect & { details: Record<string, unknown> };
/** The entries about one import, in the order of the organizations and of each one's log. */
async function entriesOf(orgIds: readonly (string | null)[], id: string): Promise<Entry[]> {
  const logs = await Promise.all(orgIds.map((orgId) => auditRows(orgId ?? "")));
  return logs.flat().filter(({ resourceId }) => resourceId === id) as Entry[];
}
const countsOf = (values: unknown) =>
  Object.fromEntries((values as { field: string; count: number }[]).map(({ field, count }) => [field, count]));
const changesIn = (entries: readonly Entry[], orgId: string) =>
  entries.flatMap((one) =>
    one.orgId === orgId && one.action === "device.custom_fields.update"
      ? [{ devices: one.details.devices, values: countsOf(one.details.values), undo: one.details.undo }]
      : [],
  );
const ofImport = (entries: readonly Entry[]) => entries.filter(({ action }) => action.startsWith("custom_fields."));
const setRole = (id: string, role: Role) => asSystem((tx) => tx.update(users).set({ role }).where(eq(users.id, id)));

describe("a run that fails midway", () => {
  it("records what it wrote in each organization and that it failed", async () => {
    const { ctx, a, b, admin, id, ids } = await arrange();
    await startRun.run(ctx, { id });
    await whileHeld(valuesOf(ids[1]), work, () => setRole(admin.id, "partner_technician"));
    await setRole(admin.id, "partner_admin");
    const state = await getImport.run(ctx, { id });
    expect(state).toMatchObject({ status: "cancelled", error: "The person who started this can no longer import." });
    expect(state.summary.run?.readBack?.map(({ written, found }) => [written, found])).toEqual([[2, 2]]);
    const { rows } = await listRows.run(ctx, { id, limit: 10, outcome: "matched_source_id" });
    expect(rows.map(({ rowNo, applied }) => [rowNo, applied])).toEqual([
      [MATCHED[0], true],
      [MATCHED[1], true],
      [MATCHED[2], false],
    ]);
    const entries = await entriesOf([a.id, b.id, ctx.homeOrgId], id);
    expect(changesIn(entries, a.id)).toEqual([{ devices: 2, values: { asset_tag: 2 }, undo: false }]);
    expect(changesIn(entries, b.id)).toEqual([]);
    expect(ofImport(entries).map(({ action, result }) => [action, result])).toEqual([
      ["custom_fields.import.start", "success"],
      ["custom_fields.import.finish", "failure"],
    ]);
    expect(ofImport(entries)[1]).toMatchObject({
      actorType: "user",
      errorMessage: "The person who started this can no longer import.",
      details: { devices: 2, organizations: 1 },
    });
  });

  it("is recorded as failed, not canceled, after its field is deleted", async () => {
    const { ctx, id } = await arrange();
    await startRun.run(ctx, { id });
    const tag = (await listDefinitions.run(ctx, {})).data.find(({ fieldKey }) => fieldKey === "asset_tag");
    await removeDefinition.run(ctx, { id: tag?.id ?? "" });
    await workOff(importWork);
    expect(await getImport.run(ctx, { id })).toMatchObject({ status: "cancelled", summary: { run: { devices: 0 } } });
    const [, end] = ofImport(await entriesOf([ctx.homeOrgId], id));
    expect(end).toMatchObject({ action: "custom_fields.import.finish", result: "failure" });
    expect(end?.errorMessage).toMatch(/^Asset Tag was deleted/);
  });
});

describe("an undo that stops before its last row", () => {
  const [LEFT, ALL] = [1_100, 1_300];

  /** An import that has given so many devices a tag, the last of them in Beta; an undo takes a thousand at once. */
  async function arrangeMany() {
    const world = await createWorld();
    const { ctx, partnerId, a, b } = world;
    const numbers = Array.from({ length: ALL }, (_, i) => i);
    const given = numbers.map((i) => ({ orgId: (i < LEFT ? a : b).id, hostname: `PC${i}` }));
    const ids = await createDevices(partnerId, given);
    const rows = numbers.map((i) => [`${i + 1}`, `PC${i}`, `Tag ${i}`]);
    const { id } = await runText(ctx, toCsv([["Computer ID", "Computer Name", "Asset Tag"], ...rows]));
    return { ...world, ids, id, undo: () => startUndo.run(ctx, { id }), get: () => getImport.run(ctx, { id }) };
  }
  const ofUndo = (entries: readonly Entry[], orgId: string) => changesIn(entries, orgId).filter(({ undo }) => undo);

  /** The same, undone as far as the first thousand: who works may take the import again before who waits to cancel it. */
  async function arrangeStopped() {
    for (;;) {
      const many = await arrangeMany();
      const { ctx, id, ids } = many;
      await many.undo();
      await atOnce<unknown>(valuesOf(ids[0]), [work, () => cancelImport.run(ctx, { id })]);
      const stopped = await many.get();
      if (stopped.status !== "undone") return { ...many, stopped };
    }
  }

  it("records what it restored and continues the count on restart", async () => {
    const { ctx, a, b, id, undo, get, stopped } = await arrangeStopped();
    expect(stopped).toMatchObject({ status: "done", undoneAt: null, job: null });
    expect(stopped.summary.undo).toEqual({ restored: 1_000, leftAlone: 0, sourceIdsRemoved: 1_000 });
    const before = await entriesOf([a.id, b.id, ctx.homeOrgId], id);
    expect(ofUndo(before, a.id)).toEqual([{ devices: 1_000, values: { asset_tag: 1_000 }, undo: true }]);
    expect(ofUndo(before, b.id)).toEqual([]);
    expect(ofImport(before).at(-1)).toMatchObject({
      action: "custom_fields.import.undo",
      result: "failure",
      errorMessage: "It was cancelled before its last row.",
      details: { restored: 1_000, organizations: 1 },
    });
    await undo();
    await workOff(importWork);
    const undone = await get();
    expect(undone.status).toBe("undone");
    expect(undone.summary.undo).toEqual({ restored: ALL, leftAlone: 0, sourceIdsRemoved: ALL });
    const after = await entriesOf([a.id, b.id, ctx.homeOrgId], id);
    const rest = { devices: LEFT - 1_000, values: { asset_tag: LEFT - 1_000 }, undo: true };
    expect(ofUndo(after, a.id)).toEqual([...ofUndo(before, a.id), rest]);
    expect(ofUndo(after, b.id)).toEqual([{ devices: 200, values: { asset_tag: 200 }, undo: true }]);
    const entry = { action: "custom_fields.import.undo", result: "success", details: { restored: ALL } };
    expect(ofImport(after).at(-1)).toMatchObject(entry);
  });

  it("is recorded when the person may no longer import", async () => {
    const { ctx, a, admin, id, ids, undo, get } = await arrangeMany();
    await undo();
    await whileHeld(valuesOf(ids[0]), work, () => setRole(admin.id, "partner_technician"));
    await setRole(admin.id, "partner_admin");
    expect(await get()).toMatchObject({ status: "done", error: "The person who started this can no longer import." });
    const entries = await entriesOf([a.id, ctx.homeOrgId], id);
    expect(ofUndo(entries, a.id)).toEqual([{ devices: 1_000, values: { asset_tag: 1_000 }, undo: true }]);
    expect(ofImport(entries).at(-1)).toMatchObject({ action: "custom_fields.import.undo", result: "failure" });
  });

  it("is complete when canceled after its last row", async () => {
    const { ctx, id, ids, undo, get } = await arrangeMany();
    await undo();
    await atOnce<unknown>(valuesOf(ids[ALL - 1]), [work, () => cancelImport.run(ctx, { id })]);
    expect(await get()).toMatchObject({ status: "undone", summary: { undo: { restored: ALL } } });
  });
});

it("an undo is recorded only in organizations where it restored something", async () => {
  const { ctx, partnerId, a, b, admin } = await createWorld();
  const c = await createOrg({ partnerId });
  const person = await ctxFor(admin);
  const names = ["PC1", "PC2", "PC3", "PC4"];
  const given = names.map((hostname, i) => ({ orgId: [a.id, a.id, b.id, c.id][i] ?? "", hostname }));
  const ids = await createDevices(partnerId, given);
  const text = simpleCsv(...names.map((name, i) => [`${i + 1}`, name, "", `A${i}`, "1", ""]));
  const { id } = await runText(person, text);
  for (const at of [1, 2]) await setDeviceValues.run(ctx, { id: ids[at] ?? "", asset_tag: "by hand", patched: false });
  await setDeviceValues.run(person, { id: ids[3] ?? "", asset_tag: "by hand" });
  await startUndo.run(person, { id });
  await workOff(importWork);
  const entries = await entriesOf([a.id, b.id, c.id, ctx.homeOrgId], id);
  const undone = (orgId: string) => changesIn(entries, orgId).filter(({ undo }) => undo);
  expect(undone(a.id)).toEqual([{ devices: 1, values: { asset_tag: 1, patched: 1 }, undo: true }]);
  expect(undone(b.id)).toEqual([]);
  expect(undone(c.id)).toEqual([{ devices: 1, values: { patched: 1 }, undo: true }]);
  expect(ofImport(entries).at(-1)).toMatchObject({ details: { organizations: 2, restored: 3, leftAlone: 5 } });
});
