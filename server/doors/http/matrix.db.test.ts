import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { includesPermission } from "@/server/ground/permissions";
import {
  alertIn,
  archivedIn,
  createWorld,
  deliveryIn,
  enrollmentKeyIn,
  exceptionIn,
  fieldIn,
  importOf,
  keyIn,
  mayKnock,
  orgFor,
  PROBE_RULE,
  type Principal,
  restoredIn,
  ruleIn,
  streamIn,
  type Target,
  userIn,
  type World,
  webhookIn,
} from "@/testing/api/matrix";
import {
  agentRoute,
  createdIn,
  device,
  list,
  ofPerson,
  open,
  org,
  ownExport,
  type Probe,
  posted,
  type Row,
} from "@/testing/api/probes";
import { appendEvents } from "@/testing/audit-entries";
import { listEndpoints } from "./openapi";
import type { Endpoint, RouteHandler } from "./route";
import { routes } from "./routes.generated";

const entry = async (orgId: string) => (await appendEvents([{ orgId }]))[0] as { id: string };
const name = () => `Probe ${randomUUID().slice(0, 8)}`;
const key = () => `k_${randomUUID().slice(0, 8)}`;
let world: World;
const field = (orgId: string) => fieldIn(world, orgId);
const webhook = (orgId: string) => webhookIn(world, orgId);
const stream = (orgId: string) => streamIn(world, orgId);
const archived = (orgId: string) => archivedIn(world, orgId);
const rule = (orgId: string) => ruleIn(world, orgId);
const alert = (orgId: string) => alertIn(world, orgId);
const exception = (orgId: string) => exceptionIn(world, orgId);
const delivery = (orgId: string) => deliveryIn(world, orgId);
const draft = (orgId: string) => importOf(world, orgId);
const offline = [409];
const now = () => new Date().toISOString();

/** Every REST operation; one that is missing here fails the first test. */
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
  "DELETE /api-keys/[id]": createdIn(keyIn, [204]),
  "GET /archive/objects": list(),
  "GET /archive/restore": list(),
  "GET /archive/restore/[id]/entries": createdIn(restoredIn, [200]),
  "POST /archive/restore": posted([400], (orgId) => ({ orgId, fromSeq: 900_001, toSeq: 900_002 })),
  "POST /archive/objects/[id]/verify": createdIn(archived, [409]),
  "GET /api-keys/[id]": createdIn(keyIn, [200]),
  "PATCH /api-keys/[id]": createdIn(keyIn, [200], { name: "Renamed" }),
  "POST /api-keys/[id]/rotate": createdIn(keyIn, [200], { overlapSeconds: 0 }),
  "GET /api-keys": list(),
  "POST /api-keys": posted([201], (orgId) => ({ name: name(), orgId, permissions: ["audit:read"] })),
  "GET /audit-logs/checkpoints": list(),
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
  "GET /audit-logs/evidence": list(),
  "GET /audit-logs/integrity": list(),
  "GET /audit-logs/logs/[id]": createdIn(entry, [200]),
  "GET /audit-logs/logs/[id]/proof": createdIn(entry, [200]),
  "GET /audit-logs/logs/[id]/around": createdIn(entry, [200]),
  "GET /proof-links/[token]": { by: "none", own: [404], build: () => ({ params: { token: randomUUID() } }) },
  "GET /audit-logs/logs": list(),
  "GET /audit-logs/feed": list(),
  "GET /audit-logs": list(),
  "GET /audit-logs/search": { by: "org", own: [200], build: (orgId) => ({ query: `q=device&orgId=${orgId}` }) },
  "GET /audit-logs/export": list(),
  "POST /audit-logs/export": { by: "none", own: [200], build: () => ({ body: { format: "json" } }) },
  "GET /audit-logs/exports": { by: "none", own: [200], build: () => ({}) },
  "POST /audit-logs/exports": { by: "none", own: [202], build: () => ({ body: { format: "ndjson" } }) },
  "GET /audit-logs/exports/[id]": ownExport([200]),
  "DELETE /audit-logs/exports/[id]": ownExport([204]),
  "GET /audit-logs/exports/[id]/file": ownExport([409]),
  "GET /audit-logs/reports/user-activity": list(),
  "GET /audit-logs/reports/security-events": list(),
  "GET /audit-logs/reports/compliance": list(),
  "GET /audit-logs/stats": list(),
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
  "GET /custom-fields/[id]": createdIn(field, [200]),
  "PATCH /custom-fields/[id]": createdIn(field, [200], { name: "Renamed" }),
  "DELETE /custom-fields/[id]": createdIn(field, [200, 204]),
  // A draft has no outcomes yet: the caller's own is a conflict, not a missing one.
  "GET /custom-fields/imports/[id]/other-scopes": createdIn(draft, [200, 409]),
  "GET /custom-fields/imports/[id]/outcomes": createdIn(draft, [200, 409]),
  "GET /custom-fields/imports/[id]/rejected": createdIn(draft, [200, 409]),
  "POST /custom-fields/imports/upload": {
    by: "path",
    own: [200],
    build: async (orgId, target) => {
      const id = target === "missing" ? randomUUID() : (await draft(orgId)).id;
      return { query: `importId=${id}&fileNo=0&name=a.csv&offset=0&size=10` };
    },
  },
  "GET /custom-fields": list(),
  "POST /custom-fields": posted([201], (orgId) => ({ orgId, name: name(), fieldKey: key(), type: "text" })),
  "DELETE /devices/[id]/agent": device([204]),
  "POST /devices/[id]/agent/release": device([200]),
  "GET /deliveries": list(),
  "POST /deliveries/[id]/resend": createdIn(delivery, [200]),
  "PATCH /devices/[id]/custom-fields": device([200], { body: {} }),
  "GET /devices/[id]/diagnostic-logs": device([200]),
  "GET /devices/[id]/eventlogs/[name]/events/[recordId]": device(offline, { extra: { name: "System", recordId: "1" } }),
  "GET /devices/[id]/eventlogs/[name]/events": device(offline, { extra: { name: "System" } }),
  "GET /devices/[id]/eventlogs/[name]": device(offline, { extra: { name: "System" } }),
  "GET /devices/[id]/eventlogs": device([200]),
  "GET /devices/[id]/live-eventlogs": device(offline),
  "GET /devices/[id]/timeline": device([200]),
  "GET /devices/[id]": device([200]),
  "GET /devices": list(),
  "DELETE /enrollment-keys/[id]": createdIn(enrollmentKeyIn, [204]),
  "GET /enrollment-keys": list(),
  "POST /enrollment-keys": posted([201], (orgId) => ({ orgId })),
  "GET /me": open([200]),
  "POST /me/password": {
    ...ofPerson([400]),
    build: () => ({ body: { currentPassword: "not it", newPassword: "a long enough password" } }),
  },
  "GET /me/two-factor": ofPerson([200]),
  "POST /me/two-factor/totp": ofPerson([200]),
  "POST /me/two-factor/totp/confirm": { ...ofPerson([400, 429]), build: () => ({ body: { code: "000 000" } }) },
  "DELETE /me/two-factor/totp": ofPerson([404]),
  "POST /me/two-factor/recovery-codes": ofPerson([409]),
  "POST /me/passkeys": {
    ...ofPerson([400]),
    build: () => ({ body: { challenge: `tmw_${"x".repeat(40)}`, name: "Key", response: { id: "x" } } }),
  },
  "POST /me/passkeys/options": ofPerson([409]),
  "DELETE /me/passkeys/[id]": { ...ofPerson([404]), build: () => ({ params: { id: randomUUID() } }) },
  "GET /me/notification-settings": ofPerson([200]),
  "PUT /me/notification-settings": ofPerson([200], { mailKinds: ["chain.broken"] }),
  "POST /me/step-up": { ...ofPerson([400, 429]), build: () => ({ body: { password: "not it" } }) },
  "POST /me/step-up/options": ofPerson([200]),
  "GET /me/sessions": ofPerson([200]),
  "DELETE /me/sessions/[id]": { ...ofPerson([404]), build: () => ({ params: { id: randomUUID() } }) },
  "GET /notifications": list(),
  "GET /notifications/summary": list(),
  "POST /notifications/read": ofPerson([204], {}),
  "GET /openapi.json": open([200]),
  "GET /orgs/organizations/[id]/audit-retention": org([200]),
  "PUT /orgs/organizations/[id]/audit-retention": org([200], { body: { retentionDays: 400 } }),
  "GET /orgs/organizations/[id]/audit-retention/preview": org([200], {}, "retentionDays=30"),
  "GET /orgs/organizations/[id]/device-log-retention": org([200]),
  "PUT /orgs/organizations/[id]/device-log-retention": org([200], { body: { diagnosticDays: 40, eventDays: 100 } }),
  "GET /orgs/organizations/[id]/device-log-retention/preview": org([200], {}, "diagnosticDays=30&eventDays=90"),
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
  "GET /detections/rules": list(),
  "POST /detections/rules": posted([201], (orgId) => ({ orgId, yaml: PROBE_RULE })),
  "GET /detections/rules/[id]": createdIn(rule, [200]),
  "PATCH /detections/rules/[id]": createdIn(rule, [200], { dedupeSeconds: 60 }),
  "DELETE /detections/rules/[id]": createdIn(rule, [204]),
  "POST /detections/rules/draft": open([200], { title: "Probe", filter: { result: "denied" } }),
  "POST /detections/rules/backtest": posted([200], (orgId) => ({ orgId, yaml: PROBE_RULE, days: 1 })),
  "GET /detections/alerts": list(),
  "GET /detections/alerts/[id]": createdIn(alert, [200]),
  "GET /detections/alerts/[id]/evidence": createdIn(alert, [200]),
  "PATCH /detections/alerts/[id]": createdIn(alert, [200], { state: "acknowledged" }),
  "GET /detections/exceptions": list(),
  "POST /detections/exceptions": {
    by: "path",
    own: [201],
    build: async (orgId, target) => {
      const ruleId = target === "missing" ? randomUUID() : (await rule(orgId)).id;
      return { body: { ruleId, fields: { "user.name": "Probe" }, reason: "Probe" } };
    },
  },
  "DELETE /detections/exceptions/[id]": createdIn(exception, [204]),
  "GET /streams": list(),
  "POST /streams": posted([201], (orgId) => ({
    orgId,
    name: name(),
    kind: "https",
    config: { url: "https://siem.example.test/in" },
  })),
  "GET /streams/[id]": createdIn(stream, [200]),
  "PATCH /streams/[id]": createdIn(stream, [200], { name: "Renamed" }),
  "DELETE /streams/[id]": createdIn(stream, [204]),
  "POST /streams/[id]/check": createdIn(stream, [200]),
  "POST /streams/[id]/pause": createdIn(stream, [200]),
  "POST /streams/[id]/resume": createdIn(stream, [200]),
  "POST /streams/[id]/rotate": createdIn(stream, [200], { overlapSeconds: 0 }),
  "POST /streams/[id]/replay": createdIn(stream, [202], { fromSeq: 1, toSeq: 1 }),
  "GET /streams/[id]/batches": createdIn(stream, [200]),
  "GET /streams/[id]/gaps": createdIn(stream, [200]),
  "POST /streams/preview": posted([200], (orgId) => ({ orgId })),
  "GET /webhooks": list(),
  "POST /webhooks": posted([201], (orgId) => ({
    orgId,
    name: name(),
    url: "https://hooks.example.test/trailmark",
    kinds: ["chain.broken"],
  })),
  "GET /webhooks/[id]": createdIn(webhook, [200]),
  "PATCH /webhooks/[id]": createdIn(webhook, [200], { name: "Renamed" }),
  "POST /webhooks/[id]/rotate": createdIn(webhook, [200], { overlapSeconds: 0 }),
  "POST /webhooks/[id]/test": createdIn(webhook, [200]),
  "DELETE /webhooks/[id]": createdIn(webhook, [204]),
  "GET /orgs/organizations/[id]": org([200]),
  "PATCH /orgs/organizations/[id]": org([200], { body: { name: "Renamed" } }),
  "GET /orgs/organizations": list(),
  "GET /orgs/overview": list(),
  "POST /orgs/organizations": {
    by: "none",
    own: (p) => (p.partner ? [201] : [403]),
    build: () => ({ body: { name: name() } }),
  },
  "GET /scripts/system-library": open([200]),
  "GET /system-tools/devices/[deviceId]/eventlogs/[name]/events/[recordId]": device(offline, {
    as: "deviceId",
    extra: { name: "System", recordId: "1" },
  }),
  "GET /system-tools/devices/[deviceId]/eventlogs/[name]/events": device(offline, {
    as: "deviceId",
    extra: { name: "System" },
  }),
  "GET /system-tools/devices/[deviceId]/eventlogs/[name]": device(offline, {
    as: "deviceId",
    extra: { name: "System" },
  }),
  "GET /system-tools/devices/[deviceId]/eventlogs": device(offline, { as: "deviceId" }),
  "POST /users/[id]/invite": createdIn(userIn, [200]),
  "GET /users/[id]": createdIn(userIn, [200]),
  "PATCH /users/[id]": createdIn(userIn, [200], { department: "Probed" }),
  "GET /users": list(),
  "POST /users": posted([201], (orgId) => ({
    email: `${randomUUID()}@example.test`,
    password: "a long enough password",
    name: "Probe",
    role: "org_viewer",
    orgId,
  })),
};

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
    const routed = operations.map(keyOf).sort();
    expect(routed.filter((k) => !MATRIX[k])).toEqual([]);
    expect(Object.keys(MATRIX).filter((k) => !routed.includes(k))).toEqual([]);
  });

  it.each(operations.map((o) => [keyOf(o), o] as const))(
    "%s responds to each caller as required",
    async (name, operation) => {
      const row = MATRIX[name];
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
});
