import { existsSync } from "node:fs";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { customFieldImports, deviceSourceIds } from "@/db/schema";
import { listDefinitions } from "@/server/custom-fields/definitions";
import { setDeviceValues } from "@/server/custom-fields/set-values";
import { enqueue, type Job } from "@/server/ground/jobs";
import { HOUR_MS } from "@/server/ground/time/durations";
import { auditRows } from "@/testing/factories";
import { toCsv } from "@/testing/import/files";
import {
  check,
  checkText,
  createDevices,
  createSimple,
  createWorld,
  run,
  runText,
  simpleCsv,
  stageText,
  valuesOf,
  withFields,
} from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { cancelImport, discardImport, getImport } from "./imports";
import { savePlan } from "./plan";
import { importFolder } from "./record";
import { listRows } from "./rows";
import { importWork } from "./run/run-job";
import { cancelInput } from "./schema";
import { startCheck, startRun, startUndo } from "./start";

describe("a complete import", () => {
  it("creates fields, writes values, records source IDs and reports the values read back", async () => {
    const { ctx, ids, text, partnerId } = await createSimple();
    const staged = await stageText(ctx, text);
    expect(staged).toMatchObject({ status: "staged", totalRows: 3, error: null });
    expect(staged.plan?.identifiers).toEqual({ sourceId: 0, hostname: 1, organization: 2, serial: null });
    expect(staged.plan?.fields.map((f) => [f.action, f.fieldKey, f.type])).toEqual([
      ["skip", "computer_id", "number"],
      ["skip", "computer_name", "text"],
      ["skip", "client_name", "text"],
      ["create", "asset_tag", "text"],
      ["create", "patched", "boolean"],
      ["create", "bought", "date"],
    ]);
    const checked = await check(ctx, staged.id);
    expect(checked.summary.check?.rows).toMatchObject({ matched_hostname: 3, not_found: 0 });
    expect((await listDefinitions.run(ctx, {})).data).toEqual([]);
    const done = await run(ctx, staged.id);
    expect(done).toMatchObject({ status: "done", error: null, job: null });
    expect(existsSync(importFolder(staged.id))).toBe(false);
    expect(done.summary.run).toMatchObject({ devices: 3, recordedSourceIds: 3 });
    expect(done.summary.run?.readBack?.map((r) => [r.written, r.found])).toEqual([
      [3, 3],
      [3, 3],
      [3, 3],
    ]);
    expect(await valuesOf(ids[1] as string)).toEqual(["2024-01-31", "A2", true]);
    expect((await listDefinitions.run(ctx, {})).data.map((d) => [d.owner, d.type])).toEqual([
      ["all_organizations", "text"],
      ["all_organizations", "date"],
      ["all_organizations", "boolean"],
    ]);
    const recorded = await asSystem((tx) =>
      tx.select().from(deviceSourceIds).where(eq(deviceSourceIds.partnerId, partnerId)),
    );
    expect(recorded.map((r) => [r.source, r.sourceId, r.deviceId]).sort()).toEqual(
      ids.map((id, i) => ["automate", String(i + 1), id]),
    );
  });

  it("writes nothing the second time and offers the same mapping", async () => {
    const { ctx, text } = await createSimple();
    await runText(ctx, text, { Bought: { action: "skip" } });
    const second = await stageText(ctx, text, "again.csv");
    expect(second.plan?.fields.map((f) => f.action)).toEqual(["skip", "skip", "skip", "existing", "existing", "skip"]);
    const checked = await check(ctx, second.id);
    expect(checked.summary.check?.rows).toMatchObject({ matched_source_id: 3, matched_hostname: 0 });
    const done = await run(ctx, second.id);
    expect(done.summary.run).toMatchObject({ devices: 0, recordedSourceIds: 0 });
    expect(done.summary.run?.fields.map((f) => [f.set, f.overwrite, f.same])).toEqual([
      [0, 0, 3],
      [0, 0, 3],
    ]);
  });

  it("keeps existing values unless told to overwrite or clear", async () => {
    const { ctx, ids, text } = await createSimple(["PC1", "PC2"]);
    await runText(ctx, text);
    await setDeviceValues.run(ctx, { id: ids[0] as string, asset_tag: "mine" });
    const again = simpleCsv(["1", "PC1", "Acme", "A1", "", ""], ["2", "PC2", "Acme", "new", "NULL", ""]);
    const kept = await runText(ctx, again);
    expect(kept.summary.run?.fields[0]).toMatchObject({ kept: 2, set: 0, overwrite: 0 });
    expect(await valuesOf(ids[0] as string)).toEqual(["2024-01-31", false, "mine"]);
    const forced = await runText(ctx, again, { "Asset Tag": { overwrite: true }, Patched: { clearBlank: true } });
    expect(forced.summary.run?.fields.map((f) => [f.overwrite, f.clear])).toEqual([
      [2, 0],
      [0, 2],
      [0, 0],
    ]);
    expect(await valuesOf(ids[1] as string)).toEqual(["2024-01-31", "new"]);
  });

  it("undo restores everything except values changed since", async () => {
    const { ctx, ids, text } = await createSimple();
    await runText(ctx, "Computer ID,Asset Tag,Computer Name\n1,old,PC1\n");
    const done = await runText(ctx, text, { "Asset Tag": { overwrite: true } });
    await setDeviceValues.run(ctx, { id: ids[1] as string, asset_tag: "changed since" });
    await startUndo.run(ctx, done);
    await workOff(importWork);
    const undone = await getImport.run(ctx, done);
    expect(undone.status).toBe("undone");
    expect(undone.summary.undo).toEqual({ restored: 8, leftAlone: 1, sourceIdsRemoved: 2 });
    expect(await valuesOf(ids[0] as string)).toEqual(["old"]);
    expect(await valuesOf(ids[1] as string)).toEqual(["changed since"]);
    expect(await valuesOf(ids[2] as string)).toEqual([]);
    await expect(startUndo.run(ctx, done)).rejects.toMatchObject({ code: "conflict" });
  });
});

/** Facts that the job library passes to work that it begins. */
const begun = (signal = new AbortController().signal): Job => ({ signal, attempt: 1 });

describe("running an import", () => {
  it("resolves devices again and reports a row that now matches another one", async () => {
    const { ctx, ids, text } = await createSimple();
    const staged = await checkText(ctx, text);
    await asSystem((tx) => tx.execute(sql`UPDATE devices SET hostname = 'elsewhere' WHERE id = ${ids[0]}::uuid`));
    const done = await run(ctx, staged.id);
    expect(done.summary.run).toMatchObject({ devices: 2, rows: { changed: 1, matched_hostname: 2 } });
    expect(
      (await listRows.run(ctx, { id: staged.id, outcome: "changed", limit: 10 })).rows.map((r) => r.reason),
    ).toEqual(["no device is called PC1"]);
    expect(await valuesOf(ids[0] as string)).toBeNull();
  });

  it("continues after a crash without applying anything twice", async () => {
    const { ctx, text, ids } = await createSimple();
    const staged = await checkText(ctx, text);
    await startRun.run(ctx, { id: staged.id });
    // A process begins and dies; woken up again, it finds that another one has done it.
    await asSystem((tx) =>
      tx.update(customFieldImports).set({ attempt: 1 }).where(eq(customFieldImports.id, staged.id)),
    );
    await workOff(importWork);
    await importWork.run({ id: staged.id }, begun());
    expect(await getImport.run(ctx, staged)).toMatchObject({ status: "done", summary: { run: { devices: 3 } } });
    // The mark is lost as if the last chunk had to be done again: nothing changes.
    const before = await Promise.all(ids.map(valuesOf));
    await asSystem((tx) =>
      tx
        .update(customFieldImports)
        .set({ job: "apply", status: "running", jobDone: 0 })
        .where(eq(customFieldImports.id, staged.id)),
    );
    await importWork.run({ id: staged.id }, begun());
    expect(await Promise.all(ids.map(valuesOf))).toEqual(before);
    const kept = await asSystem((tx) =>
      tx.execute<{ p: object; w: object }>(
        sql`SELECT previous AS p, written AS w FROM custom_field_import_changes WHERE import_id = ${staged.id}::uuid`,
      ),
    );
    expect(kept.map(({ p, w }) => [Object.keys(p).length, Object.keys(w).length])).toEqual([
      [0, 3],
      [0, 3],
      [0, 3],
    ]);
  });

  it("continues in another process when its own stops", async () => {
    const { ctx, text } = await createSimple();
    const staged = await checkText(ctx, text);
    await startRun.run(ctx, { id: staged.id });
    await expect(importWork.run({ id: staged.id }, begun(AbortSignal.abort()))).rejects.toThrow("aborted");
    expect(await getImport.run(ctx, staged)).toMatchObject({ status: "running", job: { done: 0 }, error: null });
    await workOff(importWork);
    expect(await getImport.run(ctx, staged)).toMatchObject({ status: "done", summary: { run: { devices: 3 } } });
  });

  it("is canceled with an explanation after repeated failed attempts", async () => {
    const { ctx, text } = await createSimple();
    const staged = await checkText(ctx, text);
    await startRun.run(ctx, { id: staged.id });
    await importWork.run({ id: staged.id }, { ...begun(), attempt: importWork.maxAttempts ?? 0 });
    const error = "It was begun 25 times and never completed.";
    expect(await getImport.run(ctx, staged)).toMatchObject({ status: "cancelled", error, job: null });
  });

  it("can be canceled immediately while it waits for a retry", async () => {
    const { ctx, text } = await createSimple();
    const staged = await checkText(ctx, text);
    await startRun.run(ctx, { id: staged.id });
    const later = new Date(Date.now() + HOUR_MS);
    await asSystem((tx) => enqueue(tx, importWork, { data: { id: staged.id }, key: staged.id, at: later }));
    await workOff(importWork);
    expect((await getImport.run(ctx, staged)).status).toBe("running");
    await cancelImport.run(ctx, staged);
    await workOff(importWork);
    expect(await getImport.run(ctx, staged)).toMatchObject({ status: "cancelled", job: null });
  });

  it("keeps written values on cancel so that they can be undone", async () => {
    const { ctx, text } = await createSimple();
    const staged = await checkText(ctx, text);
    await startRun.run(ctx, { id: staged.id });
    await cancelImport.run(ctx, staged);
    await workOff(importWork);
    const cancelled = await getImport.run(ctx, staged);
    expect(cancelled).toMatchObject({ status: "cancelled", job: null });
    await startUndo.run(ctx, staged);
    await workOff(importWork);
    expect((await getImport.run(ctx, staged)).status).toBe("undone");
    await expect(discardImport.run(ctx, staged)).rejects.toMatchObject({ code: "conflict" });
  });

  it("ignores a cancel meant for an earlier job", async () => {
    const { ctx, text } = await createSimple();
    const staged = await stageText(ctx, text);
    const seen = (await startCheck.run(ctx, staged)).job?.startedAt;
    const cancel = (jobStartedAt: string | undefined) =>
      cancelImport.run(ctx, cancelInput.parse({ id: staged.id, jobStartedAt }));
    await workOff(importWork);
    expect(await cancel(seen)).toMatchObject({ status: "checked", job: null });
    const { job } = await startRun.run(ctx, { id: staged.id });
    await expect(cancel(seen)).rejects.toMatchObject({ code: "conflict" });
    expect((await getImport.run(ctx, staged)).job).toMatchObject({ name: "apply", cancelRequested: false });
    expect((await cancel(job?.startedAt)).job?.cancelRequested).toBe(true);
    await workOff(importWork);
    expect((await getImport.run(ctx, staged)).status).toBe("cancelled");
  });

  it("stops if the person now needs a second factor and has none", async () => {
    const { ctx, text, partnerId } = await createSimple();
    const staged = await checkText(ctx, text);
    await startRun.run(ctx, { id: staged.id });
    await asSystem((tx) =>
      tx.execute(sql`UPDATE partners SET require_two_factor = true WHERE id = ${partnerId}::uuid`),
    );
    await workOff(importWork);
    expect(await getImport.run(ctx, staged)).toMatchObject({
      status: "cancelled",
      error: "The person who started this can no longer import.",
    });
  });

  it("is audited without secrets: start, finish and one event per organization", async () => {
    const { ctx, a, partnerId } = await createWorld();
    await createDevices(partnerId, [{ orgId: a.id, hostname: "PC1" }]);
    const staged = await stageText(ctx, "Computer ID,Computer Name,Recovery Key\n1,PC1,hunter2\n");
    expect(staged.plan?.fields[2]).toMatchObject({ action: "skip", secret: true });
    expect(JSON.stringify(staged)).not.toContain("hunter2");
    await savePlan.run(ctx, { id: staged.id, plan: withFields(staged, { "Recovery Key": { action: "create" } }) });
    await check(ctx, staged.id);
    const { rows } = await listRows.run(ctx, { id: staged.id, limit: 10 });
    expect(JSON.stringify(rows)).not.toContain("hunter2");
    const done = await run(ctx, staged.id);
    await startUndo.run(ctx, done);
    await workOff(importWork);
    const events = [...(await auditRows(a.id)), ...(await auditRows(ctx.homeOrgId ?? ""))];
    expect(events.map((e) => e.action).sort()).toEqual([
      "custom_field.create",
      "custom_fields.import.finish",
      "custom_fields.import.start",
      "custom_fields.import.undo",
      "device.custom_fields.update",
      "device.custom_fields.update",
    ]);
    expect(events.filter((e) => e.orgId === a.id).map((e) => (e.details as { values: object }).values)).toEqual([
      [{ field: "recovery_key", count: 1 }],
      [{ field: "recovery_key", count: 1 }],
    ]);
    expect(JSON.stringify(events, (_, v) => (typeof v === "bigint" ? String(v) : v))).not.toContain("hunter2");
  });

  it("finishes as done when canceled after its last row", async () => {
    const { ctx, a, partnerId } = await createWorld();
    await createDevices(partnerId, [{ orgId: a.id, hostname: "PC1" }]);
    const header = ["Computer ID", "Computer Name", "Rack", "Recovery Key"];
    const staged = await checkText(ctx, toCsv([header, ["1", "PC1", "R1", "hunter2"]]));
    await startRun.run(ctx, { id: staged.id });
    // The rows that a run deletes at its end are locked, so that the end waits.
    const ended = await asSystem(async (tx) => {
      await tx.execute(sql`SELECT FROM custom_field_import_rows WHERE import_id = ${staged.id}::uuid FOR UPDATE`);
      const run = workOff(importWork);
      const progress = async () => (await getImport.run(ctx, staged)).job?.done;
      await expect.poll(progress).toBe(1);
      expect((await cancelImport.run(ctx, staged)).job?.cancelRequested).toBe(true);
      return { run };
    });
    await ended.run;
    expect((await getImport.run(ctx, staged)).status).toBe("done");
    const finished = (await auditRows(ctx.homeOrgId ?? "")).filter(({ action }) => action.endsWith(".finish"));
    expect(finished).toMatchObject([{ details: { cancelled: false } }]);
  });
});
