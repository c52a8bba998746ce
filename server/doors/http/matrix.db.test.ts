import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { includesPermission } from "@/server/ground/permissions";
import {
  createWorld,
  foreignTo,
  importOf,
  mayKnock,
  orgFor,
  PROBE_RULE,
  type Principal,
  ruleIn,
  type Target,
  THINGS,
  type World,
} from "@/testing/api/matrix";
import { agentRoute, ofPerson, open, ownExport, type Probe, posted, type Row, usualRow } from "@/testing/api/probes";
import { listEndpoints } from "./openapi";
import type { Endpoint, RouteHandler } from "./route";
import { routes } from "./routes.generated";

const name = () => `Probe ${randomUUID().slice(0, 8)}`;
const key = () => `k_${randomUUID().slice(0, 8)}`;
const now = () => new Date().toISOString();
let world: World;

/** Operations whose request or answer does not follow from their path; see usualRow. */
const MATRIX: Record<string, Row> = {
  "POST /agents/[id]/commands/[commandId]/result": agentRoute(
    [404],
    { ok: true, data: {} },
    { commandId: randomUUID() },
  ),
  "GET /agents/[id]/commands": agentRoute([200]),
  "PUT /agents/[id]/eventlogs": agentRoute([200], {
    events: [
      { timestamp: now(), level: "info", category: "system", source: "probe", eventId: randomUUID(), message: "m" },
    ],
  }),
  "POST /agents/[id]/heartbeat": agentRoute([200], {}),
  "POST /agents/[id]/logs": agentRoute([201], {
    logs: [{ timestamp: now(), level: "info", component: "probe", message: "m" }],
  }),
  "POST /agents/enroll": open([401], { enrollmentKey: `tme_${"x".repeat(40)}`, hostname: "WS-1", os: "linux" }),
  "POST /archive/restore": posted([400], (orgId) => ({ orgId, fromSeq: 900_001, toSeq: 900_002 })),
  "POST /api-keys": posted([201], (orgId) => ({ name: name(), orgId, permissions: ["audit:read"] })),
  "POST /audit-logs/events": {
    by: "none",
    own: [202],
    build: (orgId) => ({
      body: {
        events: [
          {
            orgId,
            actorType: "system",
            actorId: "probe",
            action: "device.create",
            resourceType: "device",
            result: "success",
          },
        ],
      },
    }),
  },
  "POST /audit-logs/export": { by: "none", own: [200], build: () => ({ body: { format: "json" } }) },
  "GET /proof-links/[token]": { by: "none", own: [404], build: () => ({ params: { token: randomUUID() } }) },
  "GET /audit-logs/search": { by: "org", own: [200], build: (orgId) => ({ query: `q=device&orgId=${orgId}` }) },
  "GET /audit-logs/exports": { by: "none", own: [200], build: () => ({}) },
  "POST /audit-logs/exports": { by: "none", own: [202], build: () => ({ body: { format: "ndjson" } }) },
  "GET /audit-logs/exports/[id]": ownExport([200]),
  "DELETE /audit-logs/exports/[id]": ownExport([204]),
  "GET /audit-logs/exports/[id]/file": ownExport([409]),
  "POST /auth/invite/accept": open([400], { token: `tmi_${"x".repeat(40)}`, password: "a long enough password" }),
  "POST /auth/logout": {
    by: "none",
    once: true,
    own: (p) => (p.kind === "person" ? [204] : [403]),
    build: () => ({ body: {} }),
  },
  "POST /auth/password/forgot": open([202], { email: "nobody@example.test" }),
  "POST /auth/password/reset": open([400], { token: `tmp_${"x".repeat(40)}`, password: "a long enough password" }),
  "POST /auth/refresh": open([401], { refreshToken: "x".repeat(43) }),
  "POST /auth/token/second-factor": open([401], { challenge: `tmc_${"x".repeat(40)}`, code: "000000" }),
  "POST /auth/token": open([401], { email: "nobody@example.test", password: "wrong wrong wrong" }),
  "POST /custom-fields/imports/upload": {
    by: "path",
    own: [200],
    build: async (orgId, target) => {
      const id = target === "missing" ? randomUUID() : (await importOf(orgId)).id;
      return { query: `importId=${id}&fileNo=0&name=a.csv&offset=0&size=10` };
    },
  },
  "POST /custom-fields": posted([201], (orgId) => ({ orgId, name: name(), fieldKey: key(), type: "text" })),
  "POST /enrollment-keys": posted([201], (orgId) => ({ orgId })),
  "GET /me": open([200]),
  "DELETE /me/passkeys/[id]": { ...ofPerson([404]), build: () => ({ params: { id: randomUUID() } }) },
  "DELETE /me/sessions/[id]": { ...ofPerson([404]), build: () => ({ params: { id: randomUUID() } }) },
  "POST /notifications/read": ofPerson([204], {}),
  "GET /openapi.json": open([200]),
  // Without a mail server no report would leave: the schedule is made all the same.
  "GET /report-schedules": ofPerson([200]),
  "POST /report-schedules": {
    ...posted([201], (orgId) => ({ orgId, report: "security", cadence: "weekly", timeZone: "UTC" })),
    own: (p) => (p.kind === "person" ? [201] : [403]),
  },
  "DELETE /report-schedules/[id]": { ...ofPerson([404]), build: () => ({ params: { id: randomUUID() } }) },
  "GET /orgs/partner": { ...open([200]), own: (p) => (p.partner && !p.narrowed ? [200] : [403]) },
  "PATCH /orgs/partner": {
    ...open([200], { requireTwoFactor: false }),
    own: (p) => (p.partner && !p.narrowed ? [200] : [403]),
  },
  "POST /detections/rules": posted([201], (orgId) => ({ orgId, yaml: PROBE_RULE })),
  "POST /detections/rules/draft": open([200], { title: "Probe", filter: { result: "denied" } }),
  "POST /detections/rules/backtest": posted([200], (orgId) => ({ orgId, yaml: PROBE_RULE, days: 1 })),
  "POST /detections/exceptions": {
    by: "path",
    own: [201],
    build: async (orgId, target) => {
      const ruleId = target === "missing" ? randomUUID() : (await ruleIn(orgId)).id;
      return { body: { ruleId, fields: { "user.name": "Probe" }, reason: "Probe" } };
    },
  },
  "POST /streams": posted([201], (orgId) => ({
    orgId,
    name: name(),
    kind: "https",
    config: { url: "https://siem.example.test/in" },
  })),
  "POST /streams/preview": posted([200], (orgId) => ({ orgId })),
  "POST /webhooks": posted([201], (orgId) => ({
    orgId,
    name: name(),
    url: "https://hooks.example.test/trailmark",
    kinds: ["chain.broken"],
  })),
  "POST /orgs/organizations": {
    by: "none",
    own: (p) => (p.partner ? [201] : [403]),
    build: () => ({ body: { name: name() } }),
  },
  "GET /scripts/system-library": open([200]),
  "POST /users": posted([201], (orgId) => ({
    email: `${randomUUID()}@example.test`,
    password: "a long enough password",
    name: "Probe",
    role: "org_viewer",
    orgId,
  })),
};

/** Bodies, queries and answers, where the usual request has another one than none, none and its success. */
const USUAL: Record<string, Parameters<typeof usualRow>[1]> = {
  "PATCH /api-keys/[id]": { body: { name: "Renamed" } },
  "POST /api-keys/[id]/rotate": { body: { overlapSeconds: 0 } },
  "PATCH /custom-fields/[id]": { body: { name: "Renamed" } },
  "PUT /orgs/organizations/[id]/audit-retention": { body: { retentionDays: 400 } },
  "PUT /orgs/organizations/[id]/device-log-retention": { body: { diagnosticDays: 40, eventDays: 100 } },
  "PATCH /detections/rules/[id]": { body: { dedupeSeconds: 60 } },
  "PATCH /detections/alerts/[id]": { body: { state: "acknowledged" } },
  "PATCH /streams/[id]": { body: { name: "Renamed" } },
  "POST /streams/[id]/rotate": { body: { overlapSeconds: 0 } },
  "POST /streams/[id]/replay": { body: { fromSeq: 1, toSeq: 1 } },
  "PATCH /webhooks/[id]": { body: { name: "Renamed" } },
  "POST /webhooks/[id]/rotate": { body: { overlapSeconds: 0 } },
  "PATCH /orgs/organizations/[id]": { body: { name: "Renamed" } },
  "PATCH /users/[id]": { body: { department: "Probed" } },
  "PATCH /devices/[id]/custom-fields": { body: {} },
  "GET /orgs/organizations/[id]/audit-retention/preview": { query: "retentionDays=30" },
  "GET /orgs/organizations/[id]/device-log-retention/preview": { query: "diagnosticDays=30&eventDays=90" },
  "POST /archive/objects/[id]/verify": { own: [409] },
  // A draft has no outcomes yet: the caller's own is a conflict, not a missing one.
  "GET /custom-fields/imports/[id]/other-scopes": { own: [200, 409] },
  "GET /custom-fields/imports/[id]/outcomes": { own: [200, 409] },
  "GET /custom-fields/imports/[id]/rejected": { own: [200, 409] },
  "POST /me/password": {
    own: [400],
    body: { currentPassword: "not it", newPassword: "a long enough password" },
  },
  "POST /me/step-up": { own: [400, 429], body: { password: "not it" } },
  "POST /me/two-factor/totp/confirm": { own: [400, 429], body: { code: "000 000" } },
  "DELETE /me/two-factor/totp": { own: [404] },
  "POST /me/two-factor/recovery-codes": { own: [409] },
  "POST /me/passkeys": { own: [400], body: { challenge: `tmw_${"x".repeat(40)}`, name: "Key", response: { id: "x" } } },
  "POST /me/passkeys/options": { own: [409] },
  "PUT /me/notification-settings": { body: { mailKinds: ["chain.broken"] } },
};

const rowOf = (operation: Endpoint): Row | undefined =>
  MATRIX[keyOf(operation)] ?? usualRow(operation, USUAL[keyOf(operation)]);
const keyOf = ({ method, path }: Endpoint) => `${method} ${path.slice("/api/v1".length)}`;
const operations = listEndpoints(routes);

async function send(
  operation: Endpoint,
  principal: Principal,
  probe: Probe,
): Promise<{ status: number; body: string }> {
  const handler = routes.find((r) => r.path === operation.path)?.module[operation.method] as RouteHandler;
  const headers = new Headers({
    "x-trailmark-peer": `10.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}.1`,
  });
  if (principal.token) headers.set("authorization", `Bearer ${principal.token}`);
  if (probe.body !== undefined) headers.set("content-type", "application/json");
  const request = new Request(`http://127.0.0.1:3000${operation.path}${probe.query ? `?${probe.query}` : ""}`, {
    method: operation.method,
    headers,
    ...(probe.body === undefined ? {} : { body: JSON.stringify(probe.body) }),
  });
  const response = await handler(request, { params: Promise.resolve(probe.params ?? {}) });
  if (response.headers.get("content-type")?.includes("event-stream")) {
    await response.body?.cancel();
    return { status: response.status, body: "" };
  }
  return { status: response.status, body: await response.text() };
}

type Asked = { principal: Principal; target: Target };
/** The answer that the contract asks for. */
function expected(operation: Endpoint, row: Row, { principal, target }: Asked): number[] {
  const { auth, permission } = operation.spec;
  if (!mayKnock(principal, auth)) return [401];
  if (permission && !includesPermission(principal.permissions, permission)) return [403];
  // audit:write is for programs alone: no role has it, so only keys come this far.
  if (target === "own" || row.by === "none") {
    if (row.by === "none" && target !== "own" && permission === "audit:write") return [403];
    return typeof row.own === "function" ? row.own(principal) : row.own;
  }
  return row.by === "path" ? [404] : [403];
}

const strip = (body: string) => body.replace(/"requestId":"[^"]+"/, "");

describe("REST access matrix", () => {
  let probes = 0;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => {
    if (probes > 0) expect(probes).toBeGreaterThan(1500);
  });

  it("covers every route", () => {
    expect(operations.filter((one) => !rowOf(one)).map(keyOf)).toEqual([]);
    const routed = operations.map(keyOf);
    expect(Object.keys({ ...MATRIX, ...USUAL }).filter((k) => !routed.includes(k))).toEqual([]);
  });

  it.each(operations.map((o) => [keyOf(o), o] as const))(
    "%s responds to each caller as required",
    async (name, operation) => {
      const row = rowOf(operation);
      if (!row) return;
      const wrong: string[] = [];
      // Signing out ends the sign-ins that the other probes need.
      const principals = name === "POST /auth/logout" ? (await createWorld()).principals : world.principals;
      for (const principal of principals) {
        const bodies = new Map<Target, string>();
        for (const target of row.once ? (["own"] as const) : (["own", "foreign", "missing"] as const)) {
          const probe = await row.build(orgFor(world, principal, target), target, principal);
          const { status, body } = await send(operation, principal, probe);
          probes++;
          bodies.set(target, `${status} ${strip(body)}`);
          const right = expected(operation, row, { principal, target });
          if (!right.includes(status))
            wrong.push(`${principal.name}, ${target}: ${status} instead of ${right} ${body.slice(0, 160)}`);
        }
        if (
          row.by !== "none" &&
          mayKnock(principal, operation.spec.auth) &&
          bodies.get("foreign") !== bodies.get("missing")
        )
          wrong.push(
            `${principal.name}: foreign and missing differ: ${bodies.get("foreign")} / ${bodies.get("missing")}`,
          );
      }
      expect(wrong).toEqual([]);
    },
  );

  it("lists contain nothing of other organizations", async () => {
    for (const create of Object.values(THINGS)) for (const orgId of [world.a, world.elsewhere]) await create(orgId);
    const callers = world.principals.filter(({ kind }) => kind === "person" || kind === "key");
    const wrong: string[] = [];
    for (const operation of operations.filter((one) => rowOf(one)?.by === "org" && one.method === "GET"))
      for (const principal of callers) {
        const query = keyOf(operation).endsWith("search") ? "q=device" : "";
        const { body } = await send(operation, principal, { query });
        if (body.includes(foreignTo(world, principal))) wrong.push(`${principal.name}: ${keyOf(operation)}`);
      }
    expect(wrong).toEqual([]);
  });
});
