import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { FILTERS } from "@/server/audit/query/catalogue";
import { flushRecording } from "@/server/audit/record/record";
import { keysOf } from "@/server/ground/records";
import { type FuzzRequest, withRetries } from "@/testing/api/fuzz";
import { BAD_TEXTS, BAD_VALUES } from "@/testing/api/fuzz-values";
import { enrollmentKeyIn } from "@/testing/api/matrix";
import { createProbeWorld, described, hints, probe, probeOnce, summary, world } from "@/testing/api/probe";
import { isOrdered, reportCases } from "@/testing/ordered";

const AT_ONCE = 4;

beforeAll(createProbeWorld);

type Write = {
  operation: string;
  /** A right body; bad values replace its members one by one. */
  body: () => Record<string, unknown>;
  /** Their paths: "name", or "filters.user" of a member within another. */
  fields: string[];
};

/** The body with another value at a path. */
function replaceAt(body: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const [outer = "", inner] = path.split(".");
  return { ...body, [outer]: inner === undefined ? value : { ...Object(body[outer]), [inner]: value } };
}

const FILTER_FIELDS = [...keysOf(FILTERS), "exclude", "excludeActions"].map((name) => `filters.${name}`);

const now = () => new Date().toISOString();
const fresh = () => randomUUID().slice(0, 8);

const counted = async (table: string, column: string, markers: string[]) => {
  const rows = await asSystem((tx) =>
    tx.execute<{ marker: string; n: number }>(
      sql`SELECT ${sql.identifier(column)} AS marker, count(*)::int AS n FROM ${sql.identifier(table)} WHERE ${sql.identifier(column)} IN ${markers} GROUP BY 1`,
    ),
  );
  return new Map(rows.map((r) => [r.marker, r.n]));
};

const auditEvent = () => ({
  orgId: world.a,
  timestamp: now(),
  actorType: "system",
  actorId: "probe",
  actorEmail: "a@example.test",
  action: "device.create",
  resourceType: "device",
  resourceId: "r",
  resourceName: "n",
  details: { note: "x" },
  ipAddress: "10.0.0.1",
  userAgent: "u",
  result: "success",
  errorMessage: "e",
});
const logEntry = () => ({
  timestamp: now(),
  level: "info",
  component: "c",
  message: "m",
  fields: { a: "b" },
  agentVersion: "1",
});
const deviceEvent = () => ({
  timestamp: now(),
  level: "info",
  category: "system",
  source: "s",
  eventId: randomUUID(),
  message: "m",
  details: { a: "b" },
});

/** Batches: a bad member between two good ones, which carry a marker that is counted in the table afterwards. */
const BATCHES: {
  operation: string;
  list: string;
  marker: string;
  good: () => Record<string, unknown>;
  column: [string, string];
}[] = [
  {
    operation: "POST /audit-logs/events",
    list: "events",
    marker: "resourceName",
    good: auditEvent,
    column: ["audit_logs", "resource_name"],
  },
  {
    operation: "POST /agents/{id}/logs",
    list: "logs",
    marker: "component",
    good: logEntry,
    column: ["agent_logs", "component"],
  },
  {
    operation: "PUT /agents/{id}/eventlogs",
    list: "events",
    marker: "source",
    good: deviceEvent,
    column: ["device_event_logs", "source"],
  },
];

const named = (operation: string) => {
  const found = described.find((d) => `${d.method} ${d.path}` === operation);
  if (!found) throw new Error(`no operation ${operation}`);
  return found;
};
const jsonRequest = (body: unknown, params: Record<string, string> = {}): FuzzRequest => ({
  params,
  query: "",
  body: new TextEncoder().encode(JSON.stringify(body)),
  headers: { "content-type": "application/json" },
});

const everyBad = Object.entries({ ...BAD_TEXTS, ...BAD_VALUES });
const BATCH_BUDGET_MS = 1_500;
const BATCH_LEAST = 60;
const WRITE_BUDGET_MS = 500;
const FLUSH_MS = 60_000;

/**
 * Every bad value in every field, several at once, in an order of chance: a busy machine gets through a part of them, at
 * least so many, unless all of them are ordered.
 */
async function spoilEach(
  fields: string[],
  { ms, least }: { ms: number; least: number },
  one: (field: string, bad: unknown) => Promise<string | null>,
): Promise<string[]> {
  const wrong: string[] = [];
  const cases = fields.flatMap((field) => everyBad.map(([name, bad]) => ({ field, name, bad, at: Math.random() })));
  cases.sort((a, b) => a.at - b.at);
  const ends = isOrdered ? Number.POSITIVE_INFINITY : Date.now() + ms;
  let tried = 0;
  const worker = async () => {
    for (let next = cases.pop(); next && (tried < least || Date.now() < ends); next = cases.pop()) {
      tried++;
      const fault = await one(next.field, next.bad);
      reportCases(1);
      if (fault) wrong.push(`${next.field}=${next.name}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return wrong;
}

describe("an invalid value in one field", () => {
  it.each(BATCHES)("does not lose its neighbors: $operation", async ({ operation, list, marker, good, column }) => {
    const accepted = new Map<string, boolean>();
    const send = async (field: string, bad: unknown) => {
      const mark = `mark-${randomUUID()}`;
      const neighbour = () => ({ ...good(), [marker]: mark });
      const body = { [list]: [neighbour(), { ...good(), [field]: bad }, neighbour()] };
      const { fault, status } = await probeOnce(named(operation), jsonRequest(body, { id: world.deviceA.agentId }));
      accepted.set(mark, status < 300);
      return fault;
    };
    // Again where only its time was wrong, under another mark: what is sent twice is stored twice.
    const wrong = await spoilEach(Object.keys(good()), { ms: BATCH_BUDGET_MS, least: BATCH_LEAST }, (field, bad) =>
      withRetries(
        () => send(field, bad),
        (fault) => fault,
      ),
    );
    expect(summary(wrong)).toEqual([]);
    const right = await probe(named(operation), jsonRequest({ [list]: [good()] }, { id: world.deviceA.agentId }));
    expect(right.status, right.text).toBeLessThan(300);
    await flushRecording(FLUSH_MS);
    const stored = await counted(...column, [...accepted.keys()]);
    const lost = () => [...accepted].filter(([mark, ok]) => (stored.get(mark) ?? 0) !== (ok ? 2 : 0));
    expect(lost()).toEqual([]);
    // The control: of one batch a neighbour less.
    const [taken = ""] = [...accepted].find(([, ok]) => ok) ?? [];
    stored.set(taken, 1);
    expect(lost()).toHaveLength(1);
    reportCases(0, "control, a neighbour dropped: seen");
    expect([...accepted.values()].filter(Boolean).length).toBeGreaterThan(5);
  });

  const WRITES: Write[] = [
    {
      operation: "POST /agents/{id}/heartbeat",
      fields: ["agentVersion", "status", "metrics"],
      body: () => ({ agentVersion: "1", status: "ok", metrics: {} }),
    },
    {
      operation: "POST /agents/enroll",
      fields: [
        "enrollmentKey",
        "hostname",
        "os",
        "osVersion",
        "agentVersion",
        "agentId",
        "agentToken",
        "sourceSystem",
        "sourceDeviceId",
      ],
      body: () => ({
        enrollmentKey: enrollment,
        hostname: `H-${fresh()}`,
        os: "linux",
        osVersion: "1",
        agentVersion: "1",
        agentId: randomUUID(),
        sourceSystem: "s",
        sourceDeviceId: fresh(),
      }),
    },
    { operation: "POST /orgs/organizations", fields: ["name"], body: () => ({ name: `Org ${fresh()}` }) },
    {
      operation: "PUT /orgs/organizations/{id}/audit-retention",
      fields: ["retentionDays", "archiveToS3"],
      body: () => ({ retentionDays: 365 }),
    },
    {
      operation: "PUT /orgs/organizations/{id}/device-log-retention",
      fields: ["diagnosticDays", "eventDays"],
      body: () => ({ diagnosticDays: 30, eventDays: 90 }),
    },
    {
      operation: "POST /api-keys",
      fields: ["name", "orgId", "permissions", "expiresAt"],
      body: () => ({ name: "k", orgId: world.a, permissions: ["audit:read"], expiresAt: "2030-01-01T00:00:00Z" }),
    },
    { operation: "POST /enrollment-keys", fields: ["orgId", "maxUses", "expiresAt"], body: () => ({ orgId: world.a }) },
    {
      operation: "POST /custom-fields",
      fields: ["name", "fieldKey", "type", "options", "required", "defaultValue", "deviceTypes"],
      body: () => ({ orgId: world.a, name: `F ${fresh()}`, fieldKey: `k_${fresh()}`, type: "text", required: false }),
    },
    {
      operation: "PATCH /devices/{id}/custom-fields",
      fields: ["f_text", "f_number", "f_date"],
      body: () => ({ f_text: "a" }),
    },
    {
      operation: "POST /audit-logs/export",
      fields: [...FILTER_FIELDS, "dateRange.from", "dateRange.to"],
      body: () => ({ format: "csv", orgId: world.a, filters: {}, dateRange: {} }),
    },
    { operation: "PATCH /users/{id}", fields: ["role", "department", "disabled"], body: () => ({ department: "d" }) },
  ];
  let enrollment: string;
  beforeAll(async () => {
    enrollment = (await enrollmentKeyIn(world.a)).key;
    const create = (type: string) =>
      probeOnce(named("POST /custom-fields"), jsonRequest({ orgId: world.a, name: type, fieldKey: `f_${type}`, type }));
    for (const type of ["text", "number", "date"]) expect((await create(type)).status).toBe(201);
  });

  it.each(WRITES)("is stored or rejected by name: $operation", async ({ operation, fields, body }) => {
    const idOf = hints.params(operation.split(" ")[1] as string, "id")[0] ?? "";
    const wrong = await spoilEach(fields, { ms: WRITE_BUDGET_MS, least: 0 }, async (field, bad) => {
      const { fault } = await probe(named(operation), jsonRequest(replaceAt(body(), field, bad), { id: idOf }));
      return fault;
    });
    expect(summary(wrong)).toEqual([]);
  });

  it("is stored or rejected by name: POST /users", async () => {
    const wrong: string[] = [];
    // A password hash takes long: only those texts that come so far.
    const texts = ["nul", "loneHigh", "astral", "crlf", "wildcards", "long"];
    for (const field of ["email", "password", "name", "department", "orgId", "role"])
      for (const name of texts) {
        const right = {
          email: `${randomUUID()}@example.test`,
          password: "a long enough password",
          name: "N",
          role: "org_viewer",
          orgId: world.a,
        };
        const { fault } = await probe(named("POST /users"), jsonRequest({ ...right, [field]: BAD_TEXTS[name] }));
        reportCases(1);
        if (fault) wrong.push(`${field}=${name}: ${fault}`);
      }
    expect(summary(wrong)).toEqual([]);
  });

  it.each(["42", "true", "null", '"quoted"', '{"a":1}'])("keeps the text %s as text", async (text) => {
    const body = { orgId: world.a, name: text, fieldKey: `k_${fresh()}`, type: "text", defaultValue: text };
    const created = await probeOnce(named("POST /custom-fields"), jsonRequest(body));
    expect(JSON.parse(created.text)).toMatchObject({ defaultValue: text });
  });

  it("leaves every list readable", async () => {
    const lists = described.filter((d) => d.method === "GET" && !d.path.includes("{") && !d.path.includes("search"));
    const wrong: string[] = [];
    for (const operation of lists) {
      const query = (operation.operation.parameters as { name: string }[]).some((p) => p.name === "orgId")
        ? `orgId=${world.a}`
        : "";
      const { fault, status } = await probe(operation, { params: {}, query, body: null, headers: {} });
      // The probe's key has no account, and no mailbox.
      const right = /^\/(me\/|report-schedules$)/.test(operation.path) ? 403 : 200;
      // How long a list of all that takes is for other tests to say.
      const isWrong = fault !== null && !fault.startsWith("took");
      if (isWrong || status !== right) wrong.push(`${operation.path}: ${status} ${fault}`);
    }
    expect(summary(wrong)).toEqual([]);
  });
});
