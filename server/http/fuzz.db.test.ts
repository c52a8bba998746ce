import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { asSystem } from "@/db/client";
import { bearer, createApiKey, createUser, type TestUser } from "@/db/testing";
import { flushRecording } from "../audit/record";
import { appendEvents } from "../audit/testing";
import { PERMISSIONS } from "../auth/permissions";
import {
  type Described,
  describedOperations,
  type FuzzRequest,
  faultOf,
  type Hints,
  requestsFor,
} from "./fuzz-testing";
import { BAD_TEXTS, BAD_VALUES } from "./fuzz-values";
import { createWorld, enrollmentKeyIn, fieldIn, keyIn, userIn, type World } from "./matrix-testing";
import { describeApi, listOperations } from "./openapi";
import type { RouteHandler } from "./route";
import { routes } from "./routes.generated";

/** The whole of it must end within 15 s on a busy machine; a longer run is `npm run torture -- F1`. */
const BUDGET_MS = 5_000;
const ROUNDS = 20;
const AT_ONCE = 4;

let world: World;
let key: string;
let person: TestUser;
let hints: Hints;

const operations = listOperations(routes);
const described = describedOperations(describeApi(operations, "http://127.0.0.1:3000"));
const specOf = ({ method, path }: Described) => {
  const own = `/api/v1${path.replace(/\{(\w+)\}/g, "[$1]")}`;
  const file = routes.find((r) => r.path === own || r.path === own.replace(/\[(\w+)\]$/, "[...$1]"));
  return file?.module[method] as RouteHandler;
};

type Given = { status: number; contentType: string; text: string; ms: number };

const paramsIn = ({ path }: Described, { params }: FuzzRequest) =>
  Object.fromEntries(Object.entries(params).filter(([name]) => path.includes(`{${name}}`)));

async function send(operation: Described, request: FuzzRequest, token: string | null): Promise<Given> {
  const handler = specOf(operation);
  const headers = new Headers({ ...request.headers, "x-trailmark-peer": `10.1.${Date.now() % 250}.1` });
  if (token) headers.set("authorization", `Bearer ${token}`);
  const started = performance.now();
  const response = await handler(
    new Request(`http://127.0.0.1:3000/api/v1/x${request.query ? `?${request.query}` : ""}`, {
      method: operation.method,
      headers,
      ...(request.body === null ? {} : { body: request.body as BodyInit }),
    }),
    { params: Promise.resolve(paramsIn(operation, request)) },
  );
  const contentType = response.headers.get("content-type") ?? "";
  const endless = contentType.includes("event-stream");
  if (endless) await response.body?.cancel();
  const text = endless ? "" : await response.text();
  const { output } = handler.spec;
  if (response.ok && output instanceof z.ZodType) output.parse(JSON.parse(text));
  return { status: response.status, contentType, text, ms: performance.now() - started };
}

/** Someone whom the door lets in; signing out ends sign-ins, so it gets one of its own. */
async function tokenFor({ path, operation }: Described): Promise<string | null> {
  const [security] = operation.security as Record<string, unknown>[];
  if (!security) return null;
  if (security.agentToken) return world.deviceA.token;
  return path === "/auth/logout" ? bearer(person) : key;
}

async function probe(
  operation: Described,
  request: FuzzRequest,
): Promise<{ fault: string | null; status: number; text: string }> {
  try {
    const given = await send(operation, request, await tokenFor(operation));
    const fault = faultOf(operation, given);
    return { fault: fault && `${fault} ${given.text.slice(0, 200)}`, status: given.status, text: given.text };
  } catch (error) {
    return { fault: `threw ${String(error).slice(0, 300)}`, status: 0, text: "" };
  }
}

const shown = ({ params, query, body }: FuzzRequest) =>
  `${JSON.stringify(params)} ?${query.slice(0, 150)} ${body ? Buffer.from(body).toString("utf8").slice(0, 200) : ""}`;

/** One example of each kind, so that a failure can be read. */
const summary = (wrong: string[]) =>
  [...new Map(wrong.map((w) => [w.replace(/^[^:]+/, "").slice(0, 90), w.slice(0, 400)])).values()].slice(0, 20);

beforeAll(async () => {
  world = await createWorld();
  key = (await createApiKey({ partnerId: world.partnerId, permissions: [...PERMISSIONS] })).key;
  person = await createUser({ orgId: world.a });
  const entry = (await appendEvents([{ orgId: world.a, details: { a: "100%_\\" } }]))[0] as { id: string };
  const ids: Record<string, string[]> = {
    agents: [world.deviceA.agentId],
    devices: [world.deviceA.id, world.deviceB.id, world.deviceElsewhere.id],
    "system-tools": [world.deviceA.id],
    orgs: [world.a, world.b, world.elsewhere],
    users: [(await userIn(world.a)).id],
    "api-keys": [(await keyIn(world.a)).id],
    "enrollment-keys": [(await enrollmentKeyIn(world.a)).id],
    "custom-fields": [(await fieldIn(world, world.a)).id],
    "audit-logs": [entry.id],
  };
  hints = {
    ids: [world.a, world.a, world.a, world.b, world.elsewhere],
    params: (path, name) => (name === "id" || name === "deviceId" ? (ids[path.split("/")[1] as string] ?? []) : []),
  };
});

describe("any input to any REST operation", () => {
  it("is answered as documented, without a fault of ours", { timeout: 60_000 }, async () => {
    const ends = Date.now() + BUDGET_MS;
    const seed = Date.now() & 0x7fffffff;
    const queue = described.map((operation) => ({
      operation,
      requests: fc.sample(requestsFor(operation, hints), { numRuns: ROUNDS, seed }),
    }));
    const wrong = new Map<string, string>();
    const statuses = new Map<number, number>();
    let tried = 0;
    for (let round = 0; round < ROUNDS && (round < 2 || Date.now() < ends); round++) {
      const turn = [...queue];
      const worker = async () => {
        for (let next = turn.pop(); next; next = turn.pop()) {
          const { operation, requests } = next;
          const request = requests[round] as FuzzRequest;
          const { fault, status } = await probe(operation, request);
          tried++;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (fault)
            wrong.set(`${operation.method} ${operation.path}: ${fault.slice(0, 60)}`, `${fault} <- ${shown(request)}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    }
    if (process.env.FUZZ_VERBOSE) console.log(tried, Object.fromEntries(statuses));
    expect([...wrong].map(([where, what]) => `${where} | ${what} (seed ${seed})`)).toEqual([]);
    expect(tried).toBeGreaterThan(described.length);
    expect(statuses.get(200), "some requests must be right").toBeGreaterThan(0);
  });
});

type Write = {
  operation: string;
  params?: Record<string, string>;
  /** A right body; bad values replace its members one by one. */
  body: () => Record<string, unknown>;
  fields: string[];
  batch?: string;
  count?: (markers: string[]) => Promise<Map<string, number>>;
};

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

describe("a bad value in one field", () => {
  it.each(BATCHES)("of $operation loses no neighbour", async ({ operation, list, marker, good, column }) => {
    const wrong: string[] = [];
    const accepted = new Map<string, boolean>();
    for (const field of Object.keys(good()))
      for (const [name, bad] of everyBad) {
        const mark = `mark-${randomUUID()}`;
        const neighbour = () => ({ ...good(), [marker]: mark });
        const body = { [list]: [neighbour(), { ...good(), [field]: bad }, neighbour()] };
        const { fault, status } = await probe(named(operation), jsonRequest(body, { id: world.deviceA.agentId }));
        accepted.set(mark, status < 300);
        if (fault) wrong.push(`${field}=${name}: ${fault}`);
      }
    expect(summary(wrong)).toEqual([]);
    const right = await probe(named(operation), jsonRequest({ [list]: [good()] }, { id: world.deviceA.agentId }));
    expect(right.status, right.text).toBeLessThan(300);
    await flushRecording();
    const stored = await counted(...column, [...accepted.keys()]);
    const lost = [...accepted].filter(([mark, ok]) => (stored.get(mark) ?? 0) !== (ok ? 2 : 0));
    expect(lost).toEqual([]);
    expect([...accepted.values()].filter(Boolean).length).toBeGreaterThan(20);
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
    { operation: "PATCH /users/{id}", fields: ["role", "department", "disabled"], body: () => ({ department: "d" }) },
  ];
  let enrollment: string;
  beforeAll(async () => {
    enrollment = (await enrollmentKeyIn(world.a)).key;
    const make = (type: string) =>
      probe(named("POST /custom-fields"), jsonRequest({ orgId: world.a, name: type, fieldKey: `f_${type}`, type }));
    for (const type of ["text", "number", "date"]) expect((await make(type)).status).toBe(201);
  });

  it.each(WRITES)("of $operation is stored or refused by name", async ({ operation, fields, body }) => {
    const wrong: string[] = [];
    const idOf = hints.params(operation.split(" ")[1] as string, "id")[0] ?? "";
    for (const field of fields)
      for (const [name, bad] of everyBad) {
        const { fault } = await probe(named(operation), jsonRequest({ ...body(), [field]: bad }, { id: idOf }));
        if (fault) wrong.push(`${field}=${name}: ${fault}`);
      }
    expect(summary(wrong)).toEqual([]);
  });

  it("of POST /users is stored or refused by name", async () => {
    const wrong: string[] = [];
    // A password hash takes long: only those texts that come so far.
    const texts = ["nul", "loneHigh", "astral", "bidi", "crlf", "wildcards", "long", "proto", "combining", "blank"];
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
        if (fault) wrong.push(`${field}=${name}: ${fault}`);
      }
    expect(summary(wrong)).toEqual([]);
  });

  it.each(["42", "true", "null", '"quoted"', '{"a":1}'])("keeps the text %s a text", async (text) => {
    const body = { orgId: world.a, name: text, fieldKey: `k_${fresh()}`, type: "text", defaultValue: text };
    const created = await probe(named("POST /custom-fields"), jsonRequest(body));
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
      if (fault || status !== 200) wrong.push(`${operation.path}: ${status} ${fault}`);
    }
    expect(summary(wrong)).toEqual([]);
  });
});
