import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appendAudit } from "@/server/audit/record/append";
import type { AuditInsert } from "@/server/audit/row";
import { auditRow, chainOf, expectIntact, inTenant, roles, type StoredRow } from "@/testing/chain";
import { orderedCases, orderedRuns, reportCases } from "@/testing/ordered";
import { checksumOf } from "./chain-hash";

// Any text that PostgreSQL can hold: every plane, no NUL, no lone surrogate; often empty, often looking like SQL or an array.
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map((s) => s.replace(/[\0\p{Surrogate}]/gu, "x")),
  fc.constantFrom(
    "",
    "NULL",
    "{}",
    '{"a,b"}',
    "\\",
    '"',
    "\r\n\t",
    "36,36;",
    "v1;",
    "e\u0301",
    "\u{10ffff}",
    " trailing ",
  ),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const number = fc.constantFrom(
  "1.0",
  "1.50",
  "-0",
  "0.000",
  "1e400",
  "-1E-300",
  "123456789012345678901234567890.10",
  "1e5",
  "10000000000000001",
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      number,
      fc.constantFrom("null", "true", "false"),
      text.map((s) => JSON.stringify(s)),
    ),
    fc.array(tie("json"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc
      .array(fc.tuple(text, tie("json")), { maxLength: 4 })
      .map((all) => `{${all.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(" , ")}}`),
  ),
}));
const timestamp = fc.oneof(
  fc
    .date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
    .map((d) => d.toISOString()),
  fc.constantFrom(
    "1970-01-01T00:00:00Z",
    "2024-02-29T12:00:00.1239Z",
    "2001-01-01T00:00:00.0005Z",
    "1999-12-31T23:59:59.999+05:30",
  ),
);
const anyRow = (orgId: string): fc.Arbitrary<AuditInsert> =>
  fc.record({
    id: fc.uuid({ version: 4 }).map(() => randomUUID() as string),
    orgId: fc.constant(orgId),
    timestamp,
    actorType: fc.constantFrom("user", "api_key", "agent", "system", "ai_agent"),
    actorId: fc.uuid(),
    actorEmail: maybe(text),
    action: text,
    resourceType: text,
    resourceId: maybe(fc.uuid()),
    resourceName: maybe(text),
    details: maybe(json),
    ipAddress: maybe(text.map((s) => [...s].slice(0, 45).join(""))),
    userAgent: maybe(text),
    result: fc.constantFrom("success", "failure", "denied"),
    errorMessage: maybe(text),
  });

const ROWS_A_BATCH = 20;
/** The control: a verifier that parses details loses digits of their numbers. */
const readAndWritten = (row: StoredRow): StoredRow =>
  row.details === null ? row : { ...row, details: JSON.stringify(JSON.parse(row.details)) };

describe("checksums in the database and in TypeScript", () => {
  it("agree for any row, appended or inserted", async () => {
    const orgId = randomUUID();
    let count = 0;
    const numRuns = Math.ceil(orderedCases(ROWS_A_BATCH * 40) / ROWS_A_BATCH);
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow(orgId), { minLength: ROWS_A_BATCH, maxLength: 60 }),
        fc.boolean(),
        async (rows, direct) => {
          if (direct)
            await inTenant(
              [orgId],
              (tx) => tx`
            INSERT INTO audit_logs (id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id,
              resource_name, details, ip_address, user_agent, result, error_message)
            SELECT r.id, r."orgId", r."timestamp", r."actorType", r."actorId", r."actorEmail", r.action, r."resourceType", r."resourceId",
              r."resourceName", r.details::jsonb, r."ipAddress", r."userAgent", r.result, r."errorMessage"
            FROM jsonb_to_recordset(${tx.json(rows)}) AS r(id uuid, "orgId" uuid, "timestamp" timestamptz, "actorType" text, "actorId" uuid,
              "actorEmail" text, action text, "resourceType" text, "resourceId" uuid, "resourceName" text, details text, "ipAddress" text,
              "userAgent" text, result text, "errorMessage" text)`,
            );
          else expect(await appendAudit(roles.app, rows)).toEqual([]);
          count += rows.length;
        },
      ),
      { ...orderedRuns(0), numRuns },
    );
    const stored = await expectIntact(orgId, count);
    const [again] = await roles.app.begin(async (tx) => {
      await tx`SELECT set_config('trailmark.scope', 'system', true)`;
      return tx`SELECT count(*)::int AS same FROM audit_logs a WHERE org_id = ${orgId} AND checksum = audit_checksum(a)`;
    });
    expect(again?.same).toBe(stored.length);
    const differ = stored.filter((row) => checksumOf(readAndWritten(row)) !== row.checksum).length;
    expect(differ).toBeGreaterThan(0);
    reportCases(count, `a hash over details that were read and written again differs for ${differ} of ${count} rows`);
  });

  it("keep numbers in details as written", async () => {
    const orgId = randomUUID();
    await appendAudit(roles.app, [auditRow(orgId, { details: '{"a": 1.0, "b": 1e3, "c": 12345678901234567890.120}' })]);
    const [stored] = await chainOf(orgId);
    expect(stored?.details).toBe('{"a": 1.0, "b": 1000, "c": 12345678901234567890.120}');
    await expectIntact(orgId, 1);
  });

  it("use the stored millisecond when a time has more digits", async () => {
    const orgId = randomUUID();
    await appendAudit(roles.app, [auditRow(orgId, { timestamp: "2026-03-01T10:00:00.9996Z" })]);
    const [stored] = await expectIntact(orgId, 1);
    expect(String(stored?.timestampMs)).toBe(String(Date.UTC(2026, 2, 1, 10, 0, 1)));
  });
});
