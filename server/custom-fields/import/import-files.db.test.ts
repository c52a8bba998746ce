import { rm } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { createDefinition, listDefinitions, removeDefinition } from "@/server/custom-fields/definitions";
import { createInput } from "@/server/custom-fields/schema";
import { call, createUser, ctxFor, type TestUser } from "@/testing/factories";
import { toCsv, toXlsx } from "@/testing/import/files";
import {
  check,
  checkText,
  createDevices,
  createSimple,
  createWorld,
  outcomesOf,
  run,
  runText,
  SIMPLE_HEADER,
  simpleCsv,
  stageFiles,
  stageText,
  valuesOf,
  withFields,
} from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { createImport, getImport, listImports } from "./imports";
import { ignoreMapping, savePlan } from "./plan";
import { importFolder } from "./record";
import { listRows } from "./rows";
import { importWork } from "./run/run-job";
import { startStaging } from "./start";
import { uploadPart } from "./upload";

async function* once(bytes: Uint8Array) {
  yield bytes;
}

describe("import files", () => {
  it("accepts a file in parts, including a repeated part", async () => {
    const { ctx, admin, text } = await createSimple();
    const { id } = await createImport.run(ctx, { source: "automate" });
    const bytes = Buffer.from(text);
    const part = (offset: number, end: number) =>
      call(
        { token: admin, headers: { "content-type": "application/octet-stream" } },
        `POST /custom-fields/imports/upload?importId=${id}&fileNo=0&name=export.csv&offset=${offset}&size=${bytes.length}`,
        bytes.subarray(offset, end),
      );
    expect((await part(0, 20)).body).toEqual({ received: 20, complete: false });
    expect((await part(20, 60)).body.received).toBe(60);
    expect((await part(20, 50)).body.received).toBe(50);
    expect((await part(70, 80)).body.code).toBe("validation_failed");
    expect((await part(50, bytes.length)).body.complete).toBe(true);
    expect((await getImport.run(ctx, { id })).files).toMatchObject([
      { name: "export.csv", size: bytes.length, complete: true },
    ]);
  });

  it("does not read a deleted file or an interrupted replacement", async () => {
    const { ctx, text } = await createSimple();
    const staged = await stageText(ctx, text);
    const replace = (offset: number, size: number) =>
      uploadPart.run(
        { ...ctx, bytes: once(Buffer.from(text)) },
        { importId: staged.id, fileNo: 0, name: "new.csv", offset, size },
      );
    await expect(replace(0, 10)).rejects.toMatchObject({ code: "payload_too_large" });
    expect((await getImport.run(ctx, staged)).files).toMatchObject([{ name: "new.csv", complete: false }]);
    await expect(startStaging.run(ctx, staged)).rejects.toMatchObject({ code: "conflict" });

    await replace(0, Buffer.byteLength(text));
    await rm(importFolder(staged.id), { recursive: true });
    await startStaging.run(ctx, staged);
    await workOff(importWork);
    const gone = await getImport.run(ctx, staged);
    expect(gone).toMatchObject({ job: null, status: "draft", error: expect.stringContaining("no longer stored here") });
  });

  it("rejects large files, technicians, strangers and imports outside the caller's scope", async () => {
    const { ctx, partnerId, a } = await createSimple();
    const { id } = await createImport.run(ctx, { source: "automate" });
    const send = (token: TestUser, size: number) =>
      call(
        token,
        `POST /custom-fields/imports/upload?importId=${id}&fileNo=0&name=a.csv&offset=0&size=${size}`,
        "x,y\n",
      );
    const technician = await createUser({ role: "partner_technician", partnerId });
    const stranger = await createUser({ role: "partner_admin" });
    const limited = await createUser({ role: "partner_admin", partnerId, organizationIds: [a.id] });
    const admin = await createUser({ role: "partner_admin", partnerId });
    expect((await send(admin, 200 * 1024 * 1024)).status).toBe(413);
    expect((await send(admin, 3)).status).toBe(413);
    expect((await send(technician, 4)).status).toBe(403);
    expect((await send(stranger, 4)).status).toBe(404);
    expect((await send(limited, 4)).status).toBe(404);
    expect((await call(stranger, `GET /custom-fields/imports/${id}/rejected`)).status).toBe(404);
    const page = { page: 1, limit: 20 };
    expect((await listImports.run(await ctxFor(limited), page)).data).toEqual([]);
    expect(await listImports.run(await ctxFor(admin), page)).toMatchObject({
      data: [{ id, status: "draft", fileNames: [], expiresAt: expect.any(String) }],
      pagination: { total: 1 },
    });
    // Imports belong to a partner, and the platform's operator has none.
    await expect(listImports.run(await ctxFor("system_admin"), page)).rejects.toMatchObject({ code: "forbidden" });
    await expect(createImport.run(await ctxFor("org_admin"), { source: "automate" })).rejects.toMatchObject({
      code: "forbidden",
    });
  });

  it("matches only devices that the person can access", async () => {
    const { ctx, partnerId, a, b } = await createWorld();
    await createDevices(partnerId, [
      { orgId: a.id, hostname: "PC1" },
      { orgId: b.id, hostname: "PC2", sourceId: "9" },
    ]);
    // People who reach only some organizations write into existing fields.
    await createDefinition.run(ctx, createInput.parse({ name: "Asset Tag", fieldKey: "asset_tag", type: "text" }));
    const limited = await ctxFor(await createUser({ role: "partner_admin", partnerId, organizationIds: [a.id] }));
    const staged = await stageText(limited, "Computer ID,Computer Name,Asset Tag\n1,PC2,x\n9,PC1,y\n");
    expect(await outcomesOf(limited, await check(limited, staged.id))).toEqual(["not_found", "matched_hostname"]);
    // The source id is recorded on a device beyond reach: that is not shown, and nothing is guessed.
    const done = await run(limited, staged.id);
    expect(done.summary.run).toMatchObject({ devices: 0, recordedSourceIds: 0, rows: { changed: 1, not_found: 1 } });
  });

  it("downloads all outcomes and the rejected rows as CSV ready to upload again", async () => {
    const { ctx, admin, ids } = await createSimple();
    const staged = await stageText(
      ctx,
      simpleCsv(
        ["1", "PC1", "Acme", "=A1", "1", ""],
        ["9", "gone", "Acme", "-5", "1", ""],
        ["3", "PC3", "Acme", "x", "7", ""],
      ),
    );
    await savePlan.run(ctx, { id: staged.id, plan: withFields(staged, { Patched: { type: "boolean" } }) });
    await check(ctx, staged.id);
    await run(ctx, staged.id);
    expect(await valuesOf(ids[0] as string)).toEqual(["=A1", true]);
    const all = await call(admin, `GET /custom-fields/imports/${staged.id}/outcomes`);
    expect(all.text.split("\r\n")).toHaveLength(5);
    expect(all.text).toContain("'=A1");
    const [first = {}] = parse(all.text, { bom: true, columns: true }) as Record<string, string>[];
    expect(first).toMatchObject({ "Other rows": "", Line: "2", Device: "PC1", "Asset Tag (held)": "" });
    expect(first).toMatchObject({ Patched: "1", "Patched (new)": "Yes", "Patched (outcome)": "Set" });
    const rejected = await call(admin, `GET /custom-fields/imports/${staged.id}/rejected`);
    const lines = rejected.text.replace("\ufeff", "").trim().split("\r\n");
    expect(lines).toEqual([
      `${SIMPLE_HEADER.join(",")},Not applied because`,
      "9,gone,Acme,'-5,1,,no device is called gone",
      "3,PC3,Acme,x,7,,Patched is neither yes nor no",
    ]);
    const again = await stageText(ctx, rejected.text, "fixed.csv");
    expect(again).toMatchObject({ totalRows: 2, error: null });
    expect(again.columns[3]?.samples).toEqual(["-5", "x"]);
  });

  it("keeps identifier columns in rejected rows even if titled like a secret", async () => {
    const { ctx, admin } = await createSimple(["PC1"]);
    const file = "Device Key,Computer Name,Asset Tag,Door Code\n7,PC1,A1,1234\n8,gone,A2,5678\n";
    const staged = await stageText(ctx, file);
    const plan = withFields(staged, {});
    const identifiers = { ...plan.identifiers, sourceId: 0 };
    await savePlan.run(ctx, { id: staged.id, plan: { ...plan, identifiers } });
    await check(ctx, staged.id);
    const rejected = await call(admin, `GET /custom-fields/imports/${staged.id}/rejected`);
    expect(rejected.text).toContain("8,gone,A2,,no device is called gone");
    expect(rejected.text).not.toContain("5678");
  });

  it("shows current and new values and the conflicting row, before and after the run", async () => {
    const { ctx, admin, text } = await createSimple();
    await runText(ctx, text);
    const changed = [
      SIMPLE_HEADER,
      ["1", "PC1", "Acme", "B1", "0", ""],
      ["2", "PC2", "Acme", "B2", "1", ""],
      ["3", "PC3", "Acme", "x", "", ""],
      ["3", "PC3", "Acme", "y", "", ""],
    ];
    const staged = await checkText(ctx, toXlsx(changed), { "Asset Tag": { overwrite: true } });
    const expected = [
      { "Asset Tag (held)": "A1", "Asset Tag (new)": "B1", "Asset Tag (outcome)": "Overwrite", "Other rows": "" },
      { "Asset Tag (held)": "A2", "Asset Tag (new)": "B2", "Asset Tag (outcome)": "Overwrite", "Patched (new)": "Yes" },
      { Sheet: "Sheet1", Line: "4", "Other rows": "sheet Sheet1, line 5 (ID 3)", "Asset Tag (new)": "" },
      { Outcome: "Identity conflict", "Other rows": "sheet Sheet1, line 4 (ID 3)" },
    ];
    const outcomes = async () => {
      const { text: csv } = await call(admin, `GET /custom-fields/imports/${staged.id}/outcomes`);
      return parse(csv, { bom: true, columns: true }) as Record<string, string>[];
    };
    expect(await outcomes()).toMatchObject(expected);
    const { rows } = await listRows.run(ctx, { id: staged.id, limit: 10 });
    expect(rows[0]?.cells[0]).toMatchObject({ held: "A1", value: "B1", outcome: "overwrite" });
    expect(rows[2]).toMatchObject({ place: "sheet Sheet1, line 4", related: [{ place: "sheet Sheet1, line 5" }] });
    expect(rows[2]?.reason).toBe("another row of the file claims the same device: sheet Sheet1, line 5 (ID 3)");
    await run(ctx, staged.id);
    expect(await outcomes()).toMatchObject(expected);
  });

  it("recognizes its own list of rejected rows and reuses the mapping", async () => {
    const { ctx, admin, ids } = await createSimple();
    const text = `${simpleCsv(["1", "PC1", "Acme", "A1", "1", ""], ["9", "gone", "", "A2", "1", ""])}3,PC3,slipped\r\n`;
    const first = await runText(ctx, text, { Patched: { action: "skip" } });
    const rejected = await call(admin, `GET /custom-fields/imports/${first.id}/rejected`);
    const again = await stageText(ctx, rejected.text.replace("gone", "PC2"), "fixed.csv");
    expect(again.columns.map((column) => column.title)).toEqual(SIMPLE_HEADER);
    expect(again.summary.mappingFrom).toEqual(expect.any(String));
    expect(again.plan?.fields.map((field) => field.action)).toEqual([
      "skip",
      "skip",
      "skip",
      "existing",
      "skip",
      "skip",
    ]);
    // The row with too few cells was not corrected: it has as many cells as the header now, and is left alone still.
    expect(await outcomesOf(ctx, await check(ctx, again.id))).toEqual(["matched_hostname", "unreadable"]);
    await run(ctx, again.id);
    expect(await valuesOf(ids[1] as string)).toEqual(["A2"]);
    expect(await valuesOf(ids[2] as string)).toBeNull();
  });

  it("detects date order and type from this file, not the previous one", async () => {
    const { ctx } = await createSimple();
    const file = (...dates: string[]) =>
      toCsv([["Computer Name", "Bought"], ...dates.map((d, i) => [`PC${i + 1}`, d])]);
    const boughtIn = async (text: string) => {
      const { plan } = await stageText(ctx, text);
      return plan?.fields.find(({ column }) => column === 1);
    };
    const ran = await runText(ctx, file("1/31/2024", "2/3/2024", "12/25/2023"), { Bought: { name: "Bought on" } });
    await removeDefinition.run(ctx, { id: ran.plan?.fields[1]?.fieldId ?? "" });
    expect(await boughtIn(file("31/1/2024", "2/3/2024"))).toMatchObject({
      name: "Bought on",
      type: "date",
      dateOrder: "dmy",
    });
    expect(await boughtIn(file("2/3/2024", "4/5/2024"))).toMatchObject({ name: "Bought on", dateOrder: "mdy" });
    expect(await boughtIn(file("in January", "in March"))).toMatchObject({ type: "text" });
  });

  it("reads a point as a thousands separator if the column has decimal commas", async () => {
    const { ctx, ids } = await createSimple();
    await runText(ctx, 'Computer Name,Price\nPC1,"12,50"\nPC2,1.234\nPC3,"2.345,5"\n', {
      Price: { type: "number", options: null },
    });
    expect(await Promise.all(ids.map((id) => valuesOf(id)))).toEqual([[12.5], [1234], [2345.5]]);
  });

  it.each([
    ["the list first", ["Contact,Computer", "Contact,Client", "Floor,Location"], false],
    ["its client line first", ["Contact,Client", "Contact,Computer", "Floor,Location"], false],
    ["the values first", ["Contact,Client", "Floor,Location", "Contact,Computer"], true],
  ])("distinguishes fields with one title and two scopes: %s", async (_, lines, areValuesFirst) => {
    const { ctx, ids } = await createSimple();
    const list = { name: "list.csv", content: ["Title,Scope", ...lines].join("\n") };
    const values = { name: "values.csv", content: "Computer ID,Computer Name,Contact\n1,PC1,Jane\n" };
    const staged = await stageFiles(ctx, areValuesFirst ? [values, list] : [list, values]);
    const scopes = staged.columns.flatMap(({ title, declared }) => (declared ? [`${title}: ${declared.scope}`] : []));
    expect(scopes.sort()).toEqual(["Contact (2): client", "Contact: computer", "Floor: location"]);
    await check(ctx, staged.id);
    await run(ctx, staged.id);
    expect(await valuesOf(ids[0] as string)).toEqual(["Jane"]);
    expect((await listDefinitions.run(ctx, {})).data.map(({ name }) => name)).toEqual(["Contact"]);
  });

  it("creates fields from a list without any computers", async () => {
    const { ctx } = await createSimple();
    const list = "Title,Type,Scope\nRack,Text,Computer\nGateway,Text,Client\n";
    const { id } = await stageText(ctx, list);
    expect((await check(ctx, id)).error).toBeNull();
    expect(await run(ctx, id)).toMatchObject({ status: "done", totalRows: 0 });
    expect((await listDefinitions.run(ctx, {})).data.map(({ name }) => name)).toEqual(["Rack"]);
  });

  it("ignores the saved mapping and guesses again on request", async () => {
    const { ctx, text } = await createSimple();
    await runText(ctx, text, { Patched: { action: "skip" } });
    const again = await stageText(ctx, text);
    const afresh = await ignoreMapping.run(ctx, again);
    expect(afresh.summary.mappingFrom).toBeUndefined();
    expect(afresh.plan?.fields[4]).toMatchObject({ action: "create", fieldKey: "patched" });
  });

  it("names the invalid file among several", async () => {
    const { ctx } = await createWorld();
    const good = { name: "good.csv", content: simpleCsv(["1", "PC1", "Acme", "A-1", "1", "1/31/2024"]) };
    const state = await stageFiles(ctx, [good, { name: "bad.csv", content: 'Computer ID,Name\n1,"never closed\n' }]);
    const error = "bad.csv has a quoted cell that starts near line 2 and is never closed.";
    expect(state).toMatchObject({ status: "draft", job: null, error, summary: { isRefused: true } });
  });
});
