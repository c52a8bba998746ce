import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, it } from "vitest";
import { exportOutput } from "@/server/audit/entries/export-schema";
import { CSV_COLUMNS } from "@/server/audit/entries/export-writer";
import { withSubmitter } from "@/server/audit/provenance";
import { flushRecording } from "@/server/audit/record/record";
import { newId } from "@/server/ground/ids";
import { appendEvents } from "@/testing/audit-entries";
import { call, createOrg, createPartner, createUser, send, type TestOrg, type TestUser } from "@/testing/factories";

const HOSTILE = [
  '=HYPERLINK("http://x")',
  "+1",
  "-1",
  "@cmd",
  "\ttab",
  "\rcr",
  'a"b',
  "a,b",
  "line\nbreak",
  "cr\rhere",
  "crlf\r\n",
  "ümläut 😀",
  "'quoted'",
  " lead",
  "",
];

describe("export", () => {
  let org: TestOrg;
  let admin: TestUser;
  beforeAll(async () => {
    org = await createOrg();
    admin = await createUser({ orgId: org.id, role: "org_admin" });
    await appendEvents([
      ...HOSTILE.map((resourceName, i) => ({
        orgId: org.id,
        timestamp: new Date(Date.UTC(2026, 8, 1, 0, i)),
        resourceName,
        details: { text: resourceName },
      })),
      {
        orgId: org.id,
        timestamp: new Date(Date.UTC(2026, 8, 2)),
        actorType: "user" as const,
        actorId: admin.id,
        actorEmail: admin.email,
        action: "policy.update",
        resourceType: "policy",
        result: "denied" as const,
      },
    ]);
  });

  const records = (csv: string) => parse(csv, { columns: true, record_delimiter: "\r\n" }) as Record<string, string>[];
  const bare = (cell: string) => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

  it("as CSV, parsed by another library, equals the stored rows; no cell starts a formula", async () => {
    const csv = await call(admin, "POST /audit-logs/export", {
      format: "csv",
      dateRange: { to: "2026-09-01T23:00:00Z" },
    });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toMatch(/^attachment; filename="audit-logs-\d{4}-\d\d-\d\d\.csv"$/);
    expect(csv.headers.get("x-truncated")).toBeNull();
    expect(csv.text.split("\r\n")[0]).toBe(CSV_COLUMNS.join(","));
    const rows = records(csv.text);
    expect(rows.map((r) => bare(r.resourceName as string)).reverse()).toEqual(HOSTILE);
    expect(rows.map((r) => (JSON.parse(r.details as string) as { text: string }).text).reverse()).toEqual(HOSTILE);
    for (const row of rows) for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });

  it("adds a byte order mark and organization, reason and sentence columns for Excel", async () => {
    const jane = await createUser({ orgId: (await createOrg({ name: "Zahnärzte Süd" })).id, name: "Jürgen Groß" });
    const base = {
      orgId: jane.orgId as string,
      actorType: "user" as const,
      actorId: jane.id,
      resourceType: "device",
      resourceName: "WS-1",
    };
    await appendEvents([
      {
        ...base,
        timestamp: new Date("2026-09-02"),
        action: "device.create",
        details: withSubmitter(null, { id: newId(), name: "Billing" }),
      },
      { ...base, timestamp: new Date("2026-09-01"), action: "device.delete", result: "denied", errorMessage: "=1+1" },
    ]);
    const body = { format: "spreadsheet", filters: { action: "device" } };
    const answer = await send(jane, "POST /audit-logs/export", body);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(/\.csv"$/);
    const file = Buffer.from(await answer.arrayBuffer());
    expect(file.subarray(0, 5).toString("hex")).toBe("efbbbf6964");
    const rows: Record<string, string>[] = parse(file, { bom: true, columns: true });
    expect(Object.keys(rows[0] ?? {})).toEqual([...CSV_COLUMNS, "organization", "errorMessage", "sentence"]);
    expect(rows.map(({ organization, errorMessage, sentence }) => [organization, errorMessage, sentence])).toEqual([
      ["Zahnärzte Süd", "", "According to key Billing, Jürgen Groß created device WS-1"],
      ["Zahnärzte Süd", "'=1+1", "Jürgen Groß was denied permission to delete device WS-1: =1+1"],
    ]);
  });

  it("as JSON matches the list under the same filter", async () => {
    const filters = { result: "denied" };
    const json = await call(admin, "POST /audit-logs/export", { filters });
    const answer = exportOutput.parse(JSON.parse(json.text));
    const list = await call(admin, "GET /audit-logs/logs?result=denied");
    expect(answer).toEqual({ data: list.body.data, total: 1, truncated: false });
  });

  it("without a body returns everything as JSON", async () => {
    const answer = await call(admin, "POST /audit-logs/export");
    expect(answer).toMatchObject({ status: 200, body: { truncated: false } });
    expect(answer.body.total).toBeGreaterThanOrEqual(HOSTILE.length);
  });

  it("without matches is empty, not an error", async () => {
    const body = { filters: { action: "nothing.like.it" } };
    expect(JSON.parse((await call(admin, "POST /audit-logs/export", body)).text)).toEqual({
      data: [],
      total: 0,
      truncated: false,
    });
    expect((await call(admin, "POST /audit-logs/export", { ...body, format: "csv" })).text).toBe(
      `${CSV_COLUMNS.join(",")}\r\n`,
    );
  });

  it("GET returns CSV, filtered by userId", async () => {
    const csv = await call(admin, `GET /audit-logs/export?userId=${admin.id}`);
    const rows = records(csv.text);
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map((r) => r.actorId))).toEqual(new Set([admin.id]));
    expect((await call(admin, "GET /audit-logs/export?userId=42")).status).toBe(400);
  });

  it("is audited with format, filters, range and count, once per exported organization", async () => {
    const partner = await createPartner();
    const orgs = [await createOrg({ partnerId: partner.id }), await createOrg({ partnerId: partner.id })];
    for (const { id } of orgs) await appendEvents([{ orgId: id }, { orgId: id }]);
    const chief = await createUser({ partnerId: partner.id, role: "partner_admin" });
    await call(chief, "POST /audit-logs/export", {
      format: "csv",
      filters: { action: "device" },
      dateRange: { from: "2020-01-01T00:00:00Z" },
    });
    await flushRecording(60_000);
    for (const { id } of orgs) {
      const found = await call(chief, `GET /audit-logs/logs?orgId=${id}&action=audit_logs.export`);
      expect(found.body.data).toHaveLength(1);
      expect(found.body.data[0]).toMatchObject({
        user: { id: chief.id },
        details: {
          format: "csv",
          filters: { action: "device" },
          dateRange: { from: "2020-01-01T00:00:00.000Z", to: null },
          rows: 2,
        },
      });
    }
  });

  it("contains the newest 10,000 and states that it is truncated", async () => {
    const { id } = await createOrg();
    const owner = await createUser({ orgId: id });
    await appendEvents(
      Array.from({ length: 10_005 }, (_, i) => ({ orgId: id, timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, i)) })),
    );
    const csv = await call(owner, "POST /audit-logs/export", { format: "csv" });
    expect(csv.headers.get("x-truncated")).toBe("true");
    const rows = records(csv.text);
    expect(rows).toHaveLength(10_000);
    expect([rows[0]?.timestamp, rows.at(-1)?.timestamp]).toEqual([
      "2026-01-01T02:46:44.000Z",
      "2026-01-01T00:00:05.000Z",
    ]);
    // The first export is an entry itself, which the second counts.
    await flushRecording(60_000);
    const json = JSON.parse((await call(owner, "POST /audit-logs/export", {})).text) as {
      total: number;
      truncated: boolean;
    };
    expect(json).toMatchObject({ total: 10_006, truncated: true });
  });

  it.each([
    { format: "xml" },
    { filters: { nonsense: 1 } },
    { dateRange: { from: "x" } },
    { extra: 1 },
    { dateRange: { from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" } },
  ])("rejects %j", async (body) => expect((await call(admin, "POST /audit-logs/export", body)).status).toBe(400));

  it("requires audit:export and isolates organizations", async () => {
    const viewer = await createUser({ orgId: org.id, role: "org_viewer" });
    expect((await call(viewer, "POST /audit-logs/export", {})).status).toBe(403);
    const stranger = await createUser();
    expect((await call(stranger, "POST /audit-logs/export", { filters: { orgId: org.id } })).status).toBe(403);
    await flushRecording(60_000);
    const own = records((await call(stranger, "POST /audit-logs/export", { format: "csv" })).text);
    expect(own.map(({ action }) => action)).toEqual(["user.permission.denied"]);
  });
});
