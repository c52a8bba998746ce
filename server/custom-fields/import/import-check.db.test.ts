import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { toCsv } from "@/testing/import/files";
import {
  check,
  checkText,
  createDevices,
  createSimple,
  createWorld,
  outcomesOf,
  run,
  runText,
  simpleCsv,
  stageText,
  valuesOf,
  withFields,
} from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { pickCandidate } from "./edit";
import { getImport } from "./imports";
import type { RowOutcome } from "./outcome-schema";
import { savePlan } from "./plan";
import { listRows } from "./rows";
import { importWork } from "./run/run-job";
import { startCheck } from "./start";

describe("checking an import", () => {
  it("ignores an ID or serial number shared by many hostnames", async () => {
    const { ctx, a, partnerId } = await createWorld();
    await createDevices(partnerId, [
      { orgId: a.id, hostname: "one", serial: "S1" },
      { orgId: a.id, hostname: "two" },
      { orgId: a.id, hostname: "three" },
      { orgId: a.id, hostname: "four" },
    ]);
    const rows = (...cells: string[][]) => toCsv([["Computer ID", "Computer Name", "Serial Number", "Tag"], ...cells]);
    const shared = rows(
      ["77", "one", "VM", "a"],
      ["77", "two", "VM", "b"],
      ["77", "three.corp", "vm", "c"],
      ["8", "four", "S4", "d"],
    );
    const checked = await checkText(ctx, shared);
    expect(await outcomesOf(ctx, checked)).toEqual(Array(4).fill("matched_hostname"));
    const { rows: listed } = await listRows.run(ctx, { id: checked.id, limit: 10 });
    expect(listed.map(({ sourceId }) => sourceId)).toEqual([null, null, null, "8"]);
    const two = rows(["77", "one", "", "a"], ["77", "two", "", "b"]);
    const conflicting = await checkText(ctx, two);
    expect(await outcomesOf(ctx, conflicting)).toEqual(["identity_conflict", "identity_conflict"]);
  });

  it("distinguishes every row outcome and applies only resolved rows", async () => {
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
    expect(await outcomesOf(ctx, checked)).toEqual(expected);
    expect(checked.summary.check?.fields[0]).toMatchObject({ set: 3, none: 6, empty: 1 });
    const done = await run(ctx, staged.id);
    expect(done.summary.run).toMatchObject({ devices: 3, recordedSourceIds: 2 });
    for (const [i, id] of ids.entries()) expect(await valuesOf(id)).toEqual([0, 1, 7].includes(i) ? ["v"] : null);
  });

  it("reports a conflict when a recorded ID and a hostname differ only in domain", async () => {
    const { ctx, a, partnerId } = await createWorld();
    await createDevices(partnerId, [
      { orgId: a.id, hostname: "ws1.east.contoso.com", sourceId: "100" },
      { orgId: a.id, hostname: "ws1.west.contoso.com" },
      { orgId: a.id, hostname: "ws2.east.contoso.com", sourceId: "200" },
    ]);
    const text = toCsv([
      ["Computer ID", "Computer Name", "Client Name", "Asset Tag"],
      ["100", "WS1.west.contoso.com", "", "v"],
      ["200", "ws2.west.contoso.com", "", "v"],
    ]);
    const checked = await checkText(ctx, text);
    expect(await outcomesOf(ctx, checked)).toEqual<RowOutcome[]>(["identity_conflict", "matched_source_id"]);
  });

  it("writes nothing", async () => {
    const { ctx, text, partnerId } = await createSimple();
    const counts = () =>
      asSystem(async (tx) => [
        ...(await tx.execute(sql`SELECT (SELECT count(*) FROM custom_field_definitions WHERE partner_id = ${partnerId}::uuid) AS d,
          (SELECT count(*) FROM custom_field_values v JOIN organizations o ON o.id = v.org_id WHERE o.partner_id = ${partnerId}::uuid) AS v,
          (SELECT count(*) FROM device_source_ids WHERE partner_id = ${partnerId}::uuid) AS s`)),
      ]);
    const before = await counts();
    await checkText(ctx, text);
    expect(await counts()).toEqual(before);
  });

  it("validates each value against its definition and gives the reason", async () => {
    const { ctx } = await createSimple(["PC1", "PC2", "PC3", "PC4"]);
    const staged = await stageText(
      ctx,
      simpleCsv(["1", "PC1", "", "t", "maybe", "2024-02-30"], ["2", "PC2", "", "t", "1", "2024-02-03"]),
    );
    const plan = withFields(staged, { Patched: { type: "boolean" }, Bought: { type: "date", options: null } });
    await savePlan.run(ctx, { id: staged.id, plan });
    const checked = await check(ctx, staged.id);
    const { rows } = await listRows.run(ctx, { id: staged.id, value: "invalid", limit: 100 });
    expect(rows.map((row) => row.cells.map((cell) => cell.reason))).toEqual([
      [null, "is neither yes nor no", "is not a valid date"],
    ]);
    expect(checked.summary.check?.fields.map((f) => f.invalid)).toEqual([0, 1, 1]);
  });

  it("rejects a mapping based on an outdated revision", async () => {
    const { ctx, text } = await createSimple();
    const seen = await stageText(ctx, text);
    const { id, revision } = seen;
    const first = await savePlan.run(ctx, { id, revision, plan: withFields(seen, { Patched: { action: "skip" } }) });
    const plan = withFields(seen, { Bought: { action: "skip" } });
    await expect(savePlan.run(ctx, { id, revision, plan })).rejects.toMatchObject({ code: "conflict" });
    expect((await getImport.run(ctx, { id })).plan).toEqual(first.plan);
    expect((await savePlan.run(ctx, { id, revision: first.revision, plan })).plan).toEqual(plan);
  });

  it("rejects duplicate or empty mappings and a type that disagrees", async () => {
    const { ctx, text } = await createSimple();
    await runText(ctx, text);
    const again = await stageText(
      ctx,
      simpleCsv(["1", "PC1", "Acme", "7", "1", "x"], ["2", "PC2", "Acme", "8", "1", "x"]),
    );
    await expect(startCheck.run(ctx, again)).rejects.toMatchObject({
      code: "validation_failed",
      message: expect.stringContaining("choose how to handle this"),
    });
    const accepted = { typeConflictAccepted: true };
    await savePlan.run(ctx, { id: again.id, plan: withFields(again, { "Asset Tag": accepted, Bought: accepted }) });
    expect((await check(ctx, again.id)).summary.check?.fields.map((f) => [f.kept, f.invalid])).toEqual([
      [2, 0],
      [1, 0],
      [0, 2],
    ]);
    const plan = withFields(again, {
      "Asset Tag": accepted,
      Bought: { ...accepted, fieldId: again.plan?.fields[3]?.fieldId as string },
    });
    await savePlan.run(ctx, { id: again.id, plan });
    await expect(startCheck.run(ctx, again)).rejects.toThrow("chosen only once");
    await savePlan.run(ctx, {
      id: again.id,
      plan: { ...plan, identifiers: { sourceId: null, hostname: null, organization: null, serial: null } },
    });
    await expect(startCheck.run(ctx, again)).rejects.toThrow("Source device ID or Hostname");
  });

  it("lets a person pick among candidates, once per device", async () => {
    const { ctx, a, b, partnerId } = await createWorld();
    const ids = await createDevices(partnerId, [
      { orgId: a.id, hostname: "twin" },
      { orgId: b.id, hostname: "twin" },
    ]);
    const staged = await stageText(ctx, "Computer ID,Computer Name,Asset Tag\n1,twin,one\n2,twin,two\n");
    await check(ctx, staged.id);
    const [row] = (await listRows.run(ctx, { id: staged.id, outcome: "ambiguous", limit: 10 })).rows;
    expect(row?.candidates.map((c) => c.organization).sort()).toEqual(["Acme", "Beta"]);
    const picked = await pickCandidate.run(ctx, { id: staged.id, rowNo: 1, deviceId: ids[1] as string });
    expect(picked.summary.check?.fields[0]).toMatchObject({ set: 1, none: 1 });
    expect(picked.summary.check?.writes).toEqual({ devices: 1, sourceIds: 1, picked: 1 });
    const withdrawn = await pickCandidate.run(ctx, { id: staged.id, rowNo: 1, deviceId: null });
    expect(withdrawn.summary.check?.writes).toEqual({ devices: 0, sourceIds: 0, picked: 0 });
    await pickCandidate.run(ctx, { id: staged.id, rowNo: 1, deviceId: ids[1] as string });
    await expect(pickCandidate.run(ctx, { id: staged.id, rowNo: 2, deviceId: ids[1] as string })).rejects.toThrow(
      "Row 1 already",
    );
    const done = await run(ctx, staged.id);
    expect(await valuesOf(ids[1] as string)).toEqual(["one"]);
    expect(await valuesOf(ids[0] as string)).toBeNull();
    expect(done.summary.run).toMatchObject({ picked: 1, rows: { ambiguous: 2, changed: 0 } });
  });

  it("applies neither row when a second one matches a device picked earlier", async () => {
    const { ctx, a, b, partnerId } = await createWorld();
    const ids = await createDevices(partnerId, [
      { orgId: a.id, hostname: "twin.c" },
      { orgId: b.id, hostname: "twin.b" },
    ]);
    const staged = await stageText(ctx, "Computer Name,Asset Tag\ntwin,one\ntwin.a,two\n");
    expect(await outcomesOf(ctx, await check(ctx, staged.id))).toEqual(["ambiguous", "ambiguous"]);
    await pickCandidate.run(ctx, { id: staged.id, rowNo: 1, deviceId: ids[0] as string });
    await asSystem((tx) => tx.execute(sql`UPDATE devices SET hostname = 'twin.a' WHERE id = ${ids[0]}::uuid`));
    expect(await outcomesOf(ctx, await check(ctx, staged.id))).toEqual(["identity_conflict", "identity_conflict"]);
    await run(ctx, staged.id);
    expect(await valuesOf(ids[0] as string)).toBeNull();
  });

  it("prevents two rows from matching one device after a pick", async () => {
    const { ctx, a, b, partnerId } = await createWorld();
    const ids = await createDevices(partnerId, [
      { orgId: a.id, hostname: "twin" },
      { orgId: b.id, hostname: "twin" },
    ]);
    const header = ["Computer Name", "Asset Tag"];
    const staged = await checkText(ctx, toCsv([header, ["twin", "one"], ["twin", "two"]]));
    await asSystem((tx) => tx.execute(sql`UPDATE devices SET hostname = 'other' WHERE id = ${ids[1]}::uuid`));
    const picked = await pickCandidate.run(ctx, { id: staged.id, rowNo: 1, deviceId: ids[0] as string });
    expect(picked.job?.name).toBe("check");
    await workOff(importWork);
    expect(await outcomesOf(ctx, staged)).toEqual(["identity_conflict", "identity_conflict"]);
    expect((await run(ctx, staged.id)).summary.run).toMatchObject({ devices: 0 });
  });

  it("drops a pick that is no longer a candidate and plans nothing for that row", async () => {
    const { ctx, a, b, partnerId } = await createWorld();
    const given = [a.id, b.id, b.id].map((orgId) => ({ orgId, hostname: "twin" }));
    const ids = await createDevices(partnerId, given);
    const staged = await stageText(ctx, "Computer Name,Asset Tag\ntwin,one\n");
    await check(ctx, staged.id);
    await pickCandidate.run(ctx, { id: staged.id, rowNo: 1, deviceId: ids[0] as string });
    await asSystem((tx) => tx.execute(sql`UPDATE devices SET hostname = 'other' WHERE id = ${ids[0]}::uuid`));
    const again = await check(ctx, staged.id);
    expect(await outcomesOf(ctx, staged)).toEqual(["ambiguous"]);
    expect(again.summary.check?.writes).toEqual({ devices: 0, sourceIds: 0, picked: 0 });
    const done = await run(ctx, staged.id);
    expect(done.summary.run).toMatchObject({ picked: 0, rows: { ambiguous: 1, changed: 0 } });
  });
});
