import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { GET as OUTCOMES } from "@/app/api/v1/custom-fields/imports/[id]/outcomes/route";
import { GET as REJECTED } from "@/app/api/v1/custom-fields/imports/[id]/rejected/route";
import { POST as UPLOAD } from "@/app/api/v1/custom-fields/imports/upload/route";
import { asSystem } from "@/db/client";
import { auditLogs, customFieldImports, customFieldValues, deviceSourceIds } from "@/db/schema";
import { call, createUser, ctxFor } from "@/db/testing";
import { flushRecording, startRecording, stopRecording } from "../../audit/record";
import { listDefinitions } from "../list";
import { setDeviceValues } from "../set-values";
import { cancelImport, createImport, discardImport, getImport, listImports } from "./create";
import { toCsv } from "./fixtures";
import { claimImport, owner } from "./lease";
import { savePlan } from "./plan";
import { listRows, pickCandidate } from "./rows";
import { runImportJob } from "./run-job";
import type { ImportState, RowOutcome } from "./schema";
import { startCheck, startRun, startUndo } from "./start";
import { check, createDevices, createWorld, run, stageText, withFields } from "./testing";
import { workOffImports } from "./worker";

const HEADER = ["Computer ID", "Computer Name", "Client Name", "Asset Tag", "Patched", "Bought"];
const csv = (...rows: string[][]) => toCsv([HEADER, ...rows]);
const outcomes = async (ctx: Parameters<typeof listRows>[0], state: ImportState) =>
  (await listRows(ctx, { id: state.id, limit: 200 })).rows.map((row) => row.outcome);
const valuesOf = async (deviceId: string) => {
  const [row] = await asSystem((tx) =>
    tx.select().from(customFieldValues).where(eq(customFieldValues.deviceId, deviceId)),
  );
  return row ? Object.values(row.values).sort() : null;
};

async function simple(hostnames = ["PC1", "PC2", "PC3"]) {
  const world = await createWorld();
  const ids = await createDevices(
    world.partnerId,
    hostnames.map((hostname) => ({ orgId: world.a.id, hostname })),
  );
  const text = csv(
    ...hostnames.map((hostname, i) => [String(i + 1), hostname, "Acme", `A${i + 1}`, String(i % 2), "1/31/2024"]),
  );
  return { ...world, ids, text };
}

describe("a whole import", () => {
  it("makes the fields, writes the values, records the source ids, and reports what it read back", async () => {
    const { ctx, ids, text, partnerId } = await simple();
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
    expect((await listDefinitions(ctx, {})).data).toEqual([]);
    const done = await run(ctx, staged.id);
    expect(done).toMatchObject({ status: "done", error: null, job: null });
    expect(done.summary.run).toMatchObject({ devices: 3, recordedSourceIds: 3 });
    expect(done.summary.run?.readBack?.map((r) => [r.written, r.found])).toEqual([
      [3, 3],
      [3, 3],
      [3, 3],
    ]);
    expect(await valuesOf(ids[1] as string)).toEqual(["2024-01-31", "A2", true]);
    expect((await listDefinitions(ctx, {})).data.map((d) => [d.owner, d.type])).toEqual([
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

  it("writes nothing the second time, finding every device by its source id, and offers the same mapping", async () => {
    const { ctx, text } = await simple();
    const first = await stageText(ctx, text);
    await savePlan(ctx, { id: first.id, plan: withFields(first, { Bought: { action: "skip" } }) });
    await check(ctx, first.id);
    await run(ctx, first.id);
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

  it("leaves what is already set alone, unless told to overwrite or to clear", async () => {
    const { ctx, ids, text } = await simple(["PC1", "PC2"]);
    await runAll(ctx, text);
    await setDeviceValues(ctx, { id: ids[0] as string, asset_tag: "mine" });
    const again = csv(["1", "PC1", "Acme", "A1", "", ""], ["2", "PC2", "Acme", "new", "NULL", ""]);
    const kept = await runAll(ctx, again);
    expect(kept.summary.run?.fields[0]).toMatchObject({ kept: 2, set: 0, overwrite: 0 });
    expect(await valuesOf(ids[0] as string)).toEqual(["2024-01-31", false, "mine"]);
    const forced = await runAll(ctx, again, { "Asset Tag": { overwrite: true }, Patched: { clearBlank: true } });
    expect(forced.summary.run?.fields.map((f) => [f.overwrite, f.clear])).toEqual([
      [2, 0],
      [0, 2],
      [0, 0],
    ]);
    expect(await valuesOf(ids[1] as string)).toEqual(["2024-01-31", "new"]);
  });

  async function runAll(ctx: Parameters<typeof check>[0], text: string, changes = {}) {
    const staged = await stageText(ctx, text);
    await savePlan(ctx, { id: staged.id, plan: withFields(staged, changes) });
    await check(ctx, staged.id);
    return run(ctx, staged.id);
  }

  it("puts everything back on undo, but for what somebody has changed since", async () => {
    const { ctx, ids, text } = await simple();
    await runAll(
      ctx,
      toCsv([
        ["Computer ID", "Asset Tag", "Computer Name"],
        ["1", "old", "PC1"],
      ]),
    );
    const done = await runAll(ctx, text, { "Asset Tag": { overwrite: true } });
    await setDeviceValues(ctx, { id: ids[1] as string, asset_tag: "changed since" });
    await startUndo(ctx, done);
    await workOffImports();
    const undone = await getImport(ctx, done);
    expect(undone.status).toBe("undone");
    expect(undone.summary.undo).toEqual({ restored: 8, leftAlone: 1, sourceIdsRemoved: 2 });
    expect(await valuesOf(ids[0] as string)).toEqual(["old"]);
    expect(await valuesOf(ids[1] as string)).toEqual(["changed since"]);
    expect(await valuesOf(ids[2] as string)).toEqual([]);
    await expect(startUndo(ctx, done)).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("the check", () => {
  it("tells apart every outcome of a row, and applies only what is resolved", async () => {
    const { ctx, a, b, partnerId } = await createWorld();
    const ids = await createDevices(partnerId, [
      { orgId: a.id, hostname: "renamed", sourceId: "1" },
      { orgId: a.id, hostname: "ByName.corp.local" },
      { orgId: a.id, hostname: "twin" },
      { orgId: b.id, hostname: "TWIN" },
      { orgId: a.id, hostname: "known", sourceId: "5" },
      { orgId: a.id, hostname: "other" },
      { orgId: a.id, hostname: "claimed" },
      { orgId: b.id, hostname: "narrow" },
      { orgId: a.id, hostname: "narrow" },
    ]);
    const text = toCsv([
      ["Computer ID", "Computer Name", "Client Name", "Asset Tag"],
      ["1", "old-name", "", "v"],
      ["2", "byname", "", "v"],
      ["3", "twin", "", "v"],
      ["5", "other", "", "v"],
      ["6", "claimed", "", "v"],
      ["7", "CLAIMED", "", "v"],
      ["8", "narrow", "Beta", "v"],
      ["9", "gone", "", "v"],
      ["00000", "localhost", "", "v"],
      ["11", "byname", "", "v", "surplus"],
    ]);
    const staged = await stageText(ctx, text);
    const checked = await check(ctx, staged.id);
    const expected: RowOutcome[] = [
      "matched_source_id",
      "matched_hostname",
      "ambiguous",
      "identity_conflict",
      "identity_conflict",
      "identity_conflict",
      "matched_hostname",
      "not_found",
      "not_found",
      "unreadable",
    ];
    expect(await outcomes(ctx, checked)).toEqual(expected);
    expect(checked.summary.check?.fields[0]).toMatchObject({ set: 3, none: 6, empty: 1 });
    const done = await run(ctx, staged.id);
    expect(done.summary.run).toMatchObject({ devices: 3, recordedSourceIds: 2 });
    for (const [i, id] of ids.entries()) expect(await valuesOf(id)).toEqual([0, 1, 7].includes(i) ? ["v"] : null);
  });

  it("writes nothing", async () => {
    const { ctx, text, partnerId } = await simple();
    const counts = () =>
      asSystem(async (tx) => [
        ...(await tx.execute(sql`SELECT (SELECT count(*) FROM custom_field_definitions WHERE partner_id = ${partnerId}::uuid) AS d,
          (SELECT count(*) FROM custom_field_values v JOIN organizations o ON o.id = v.org_id WHERE o.partner_id = ${partnerId}::uuid) AS v,
          (SELECT count(*) FROM device_source_ids WHERE partner_id = ${partnerId}::uuid) AS s`)),
      ]);
    const before = await counts();
    await check(ctx, (await stageText(ctx, text)).id);
    expect(await counts()).toEqual(before);
  });

  it("judges each value by the definition, with the reason", async () => {
    const { ctx } = await simple(["PC1", "PC2", "PC3", "PC4"]);
    const staged = await stageText(
      ctx,
      csv(["1", "PC1", "", "t", "maybe", "2024-02-30"], ["2", "PC2", "", "t", "1", "2024-02-03"]),
    );
    const plan = withFields(staged, { Patched: { type: "boolean" }, Bought: { type: "date", options: null } });
    await savePlan(ctx, { id: staged.id, plan });
    const checked = await check(ctx, staged.id);
    const { rows } = await listRows(ctx, { id: staged.id, value: "invalid", limit: 100 });
    expect(rows.map((row) => row.cells.map((cell) => cell.reason))).toEqual([
      [null, "is neither yes nor no", "is not a date of the calendar"],
    ]);
    expect(checked.summary.check?.fields.map((f) => f.invalid)).toEqual([0, 1, 1]);
  });

  it("refuses a plan that maps one thing twice, nothing, or a type that disagrees", async () => {
    const { ctx, text } = await simple();
    const first = await stageText(ctx, text);
    await check(ctx, first.id);
    await run(ctx, first.id);
    const again = await stageText(ctx, csv(["1", "PC1", "Acme", "7", "1", "x"], ["2", "PC2", "Acme", "8", "1", "x"]));
    await expect(startCheck(ctx, again)).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining("settle that first"),
    });
    const accepted = { typeConflictAccepted: true };
    await savePlan(ctx, { id: again.id, plan: withFields(again, { "Asset Tag": accepted, Bought: accepted }) });
    expect((await check(ctx, again.id)).summary.check?.fields.map((f) => [f.kept, f.invalid])).toEqual([
      [2, 0],
      [1, 0],
      [0, 2],
    ]);
    const plan = withFields(again, {
      "Asset Tag": accepted,
      Bought: { ...accepted, fieldId: again.plan?.fields[3]?.fieldId as string },
    });
    await savePlan(ctx, { id: again.id, plan });
    await expect(startCheck(ctx, again)).rejects.toThrow("chosen only once");
    await savePlan(ctx, {
      id: again.id,
      plan: { ...plan, identifiers: { sourceId: null, hostname: null, organization: null, serial: null } },
    });
    await expect(startCheck(ctx, again)).rejects.toThrow("Source device ID or Hostname");
  });

  it("lets a person pick among candidates, once per device", async () => {
    const { ctx, a, b, partnerId } = await createWorld();
    const ids = await createDevices(partnerId, [
      { orgId: a.id, hostname: "twin" },
      { orgId: b.id, hostname: "twin" },
    ]);
    const staged = await stageText(
      ctx,
      toCsv([
        ["Computer ID", "Computer Name", "Asset Tag"],
        ["1", "twin", "one"],
        ["2", "twin", "two"],
      ]),
    );
    await check(ctx, staged.id);
    const [row] = (await listRows(ctx, { id: staged.id, outcome: "ambiguous", limit: 10 })).rows;
    expect(row?.candidates.map((c) => c.organization).sort()).toEqual(["Acme", "Beta"]);
    const picked = await pickCandidate(ctx, { id: staged.id, rowNo: 1, deviceId: ids[1] as string });
    expect(picked.summary.check?.fields[0]).toMatchObject({ set: 1, none: 1 });
    await expect(pickCandidate(ctx, { id: staged.id, rowNo: 2, deviceId: ids[1] as string })).rejects.toThrow(
      "Row 1 already",
    );
    const done = await run(ctx, staged.id);
    expect(await valuesOf(ids[1] as string)).toEqual(["one"]);
    expect(await valuesOf(ids[0] as string)).toBeNull();
    expect(done.summary.run?.rows).toMatchObject({ ambiguous: 2, changed: 0 });
  });
});

describe("the run", () => {
  it("resolves again: a row that names another device by now is reported, not applied", async () => {
    const { ctx, ids, text } = await simple();
    const staged = await stageText(ctx, text);
    await check(ctx, staged.id);
    await asSystem((tx) => tx.execute(sql`UPDATE devices SET hostname = 'elsewhere' WHERE id = ${ids[0]}::uuid`));
    const done = await run(ctx, staged.id);
    expect(done.summary.run).toMatchObject({ devices: 2, rows: { changed: 1, matched_hostname: 2 } });
    expect((await listRows(ctx, { id: staged.id, outcome: "changed", limit: 10 })).rows.map((r) => r.reason)).toEqual([
      "no device is called PC1",
    ]);
    expect(await valuesOf(ids[0] as string)).toBeNull();
  });

  it("goes on after a process died in the middle, applying nothing twice", async () => {
    const { ctx, text, ids } = await simple();
    const staged = await stageText(ctx, text);
    await check(ctx, staged.id);
    await startRun(ctx, staged);
    // A process claims the work and dies: its claim runs out and another one takes over.
    expect(await claimImport()).toBe(staged.id);
    expect(await claimImport()).toBeNull();
    await asSystem((tx) =>
      tx
        .update(customFieldImports)
        .set({ leaseOwner: "dead", leaseUntil: new Date(Date.now() - 1) })
        .where(eq(customFieldImports.id, staged.id)),
    );
    await workOffImports();
    const done = await getImport(ctx, staged);
    expect(done).toMatchObject({ status: "done", summary: { run: { devices: 3 } } });
    // The mark is lost as if the last chunk had to be done again: nothing changes.
    const before = await Promise.all(ids.map(valuesOf));
    await asSystem((tx) =>
      tx
        .update(customFieldImports)
        .set({ job: "apply", status: "running", jobDone: 0, leaseOwner: owner.name })
        .where(eq(customFieldImports.id, staged.id)),
    );
    await runImportJob(staged.id);
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

  it("is cancelled with what it wrote kept, so that it can be undone", async () => {
    const { ctx, text } = await simple();
    const staged = await stageText(ctx, text);
    await check(ctx, staged.id);
    await startRun(ctx, staged);
    await cancelImport(ctx, staged);
    await workOffImports();
    const cancelled = await getImport(ctx, staged);
    expect(cancelled).toMatchObject({ status: "cancelled", job: null });
    await startUndo(ctx, staged);
    await workOffImports();
    expect((await getImport(ctx, staged)).status).toBe("undone");
    await expect(discardImport(ctx, staged)).rejects.toMatchObject({ code: "conflict" });
  });

  it("stops when the person may not import any more", async () => {
    const { ctx, text, admin } = await simple();
    const staged = await stageText(ctx, text);
    await check(ctx, staged.id);
    await startRun(ctx, staged);
    await asSystem((tx) => tx.execute(sql`UPDATE users SET role = 'partner_technician' WHERE id = ${admin.id}::uuid`));
    await workOffImports();
    expect(await getImport(ctx, staged)).toMatchObject({
      status: "cancelled",
      error: "The person who started this may not import any more.",
    });
  });

  it("is audited without secrets: start, finish and one event for each organization", async () => {
    await startRecording({ dir: mkdtempSync(join(tmpdir(), "trailmark-spool-")) });
    const { ctx, a, partnerId } = await createWorld();
    await createDevices(partnerId, [{ orgId: a.id, hostname: "PC1" }]);
    const staged = await stageText(
      ctx,
      toCsv([
        ["Computer ID", "Computer Name", "Recovery Key"],
        ["1", "PC1", "hunter2"],
      ]),
    );
    await savePlan(ctx, { id: staged.id, plan: withFields(staged, { "Recovery Key": { secret: true } }) });
    await check(ctx, staged.id);
    const { rows } = await listRows(ctx, { id: staged.id, limit: 10 });
    expect(JSON.stringify(rows)).not.toContain("hunter2");
    const done = await run(ctx, staged.id);
    await startUndo(ctx, done);
    await workOffImports();
    await flushRecording();
    const events = await asSystem((tx) =>
      tx
        .select()
        .from(auditLogs)
        .where(sql`${auditLogs.orgId} IN (${a.id}, ${ctx.homeOrgId}) AND ${auditLogs.action} LIKE '%custom_field%'`),
    );
    expect(events.map((e) => e.action).sort()).toEqual([
      "custom_field.create",
      "custom_fields.import.finish",
      "custom_fields.import.start",
      "custom_fields.import.undo",
      "device.custom_fields.update",
      "device.custom_fields.update",
    ]);
    expect(events.filter((e) => e.orgId === a.id).map((e) => (e.details as { values: object }).values)).toEqual([
      { recovery_key: 1 },
      { recovery_key: 1 },
    ]);
    expect(JSON.stringify(events, (_, v) => (typeof v === "bigint" ? String(v) : v))).not.toContain("hunter2");
    await stopRecording();
  });
});

describe("files", () => {
  it("takes a file in parts, a part sent again included", async () => {
    const { ctx, admin, text } = await simple();
    const { id } = await createImport(ctx, { source: "automate" });
    const bytes = Buffer.from(text);
    const part = (offset: number, end: number) =>
      call(UPLOAD, {
        method: "POST",
        token: admin,
        path: `/x?importId=${id}&fileNo=0&name=export.csv&offset=${offset}&size=${bytes.length}`,
        body: bytes.subarray(offset, end),
        headers: { "content-type": "application/octet-stream" },
      });
    expect((await part(0, 20)).body).toEqual({ received: 20, complete: false });
    expect((await part(20, 60)).body.received).toBe(60);
    expect((await part(20, 50)).body.received).toBe(50);
    expect((await part(70, 80)).body.code).toBe("validation_failed");
    expect((await part(50, bytes.length)).body.complete).toBe(true);
    expect((await getImport(ctx, { id })).files).toMatchObject([
      { name: "export.csv", size: bytes.length, complete: true },
    ]);
  });

  it("refuses what is too large, technicians, strangers and imports beyond one's reach", async () => {
    const { ctx, partnerId, a } = await simple();
    const { id } = await createImport(ctx, { source: "automate" });
    const send = (
      token: Parameters<typeof call>[1] extends infer O
        ? NonNullable<O> extends { token?: infer T }
          ? T
          : never
        : never,
      size: number,
    ) =>
      call(UPLOAD, {
        method: "POST",
        token,
        path: `/x?importId=${id}&fileNo=0&name=a.csv&offset=0&size=${size}`,
        body: "x,y\n",
      });
    const technician = await createUser({ role: "partner_technician", partnerId });
    const stranger = await createUser({ role: "partner_admin" });
    const limited = await createUser({ role: "partner_admin", partnerId, organizationIds: [a.id] });
    const admin = await createUser({ role: "partner_admin", partnerId });
    expect((await send(admin, 200 * 1024 * 1024)).status).toBe(413);
    expect((await send(admin, 3)).status).toBe(413);
    expect((await send(technician, 4)).status).toBe(403);
    expect((await send(stranger, 4)).status).toBe(404);
    expect((await send(limited, 4)).status).toBe(404);
    expect((await call(REJECTED, { token: stranger, params: { id } })).status).toBe(404);
    expect(await listImports(await ctxFor(limited))).toEqual([]);
    await expect(createImport(await ctxFor("org_admin"), { source: "automate" })).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("looks devices up only where the person reaches", async () => {
    const { partnerId, a, b } = await createWorld();
    await createDevices(partnerId, [
      { orgId: a.id, hostname: "PC1" },
      { orgId: b.id, hostname: "PC2", sourceId: "9" },
    ]);
    const limited = await ctxFor(await createUser({ role: "partner_admin", partnerId, organizationIds: [a.id] }));
    const staged = await stageText(
      limited,
      toCsv([
        ["Computer ID", "Computer Name", "Asset Tag"],
        ["1", "PC2", "x"],
        ["9", "PC1", "y"],
      ]),
    );
    expect(await outcomes(limited, await check(limited, staged.id))).toEqual(["not_found", "matched_hostname"]);
    // The source id is recorded on a device beyond reach: nobody sees that, and nothing is guessed.
    const done = await run(limited, staged.id);
    expect(done.summary.run).toMatchObject({ devices: 0, recordedSourceIds: 0, rows: { changed: 1, not_found: 1 } });
  });

  it("gives all outcomes and the rows not applied as CSV, the latter ready to be sent again", async () => {
    const { ctx, admin, ids } = await simple();
    const staged = await stageText(
      ctx,
      csv(
        ["1", "PC1", "Acme", "=A1", "1", ""],
        ["9", "gone", "Acme", "-5", "1", ""],
        ["3", "PC3", "Acme", "x", "7", ""],
      ),
    );
    await savePlan(ctx, { id: staged.id, plan: withFields(staged, { Patched: { type: "boolean" } }) });
    await check(ctx, staged.id);
    await run(ctx, staged.id);
    expect(await valuesOf(ids[0] as string)).toEqual(["=A1", true]);
    const all = await call(OUTCOMES, { token: admin, params: { id: staged.id } });
    expect(all.text.split("\r\n")).toHaveLength(5);
    expect(all.text).toContain("'=A1");
    const rejected = await call(REJECTED, { token: admin, params: { id: staged.id } });
    const lines = rejected.text.replace("\ufeff", "").trim().split("\r\n");
    expect(lines).toEqual([
      `${HEADER.join(",")},Reason`,
      "9,gone,Acme,'-5,1,,no device is called gone",
      "3,PC3,Acme,x,7,,Patched is neither yes nor no",
    ]);
    const again = await stageText(ctx, rejected.text, "fixed.csv");
    expect(again).toMatchObject({ totalRows: 2, error: null });
    expect(again.columns[3]?.samples).toEqual(["-5", "x"]);
  });

  it("says in plain words what is wrong with a file", async () => {
    const { ctx } = await createWorld();
    const broken = await stageText(ctx, 'Computer ID,Name\n1,"never closed\n');
    expect(broken).toMatchObject({ status: "draft", job: null, error: expect.stringContaining("is never closed") });
  });
});
