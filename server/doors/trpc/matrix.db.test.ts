import { randomUUID } from "node:crypto";
import { TRPCError } from "@trpc/server";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { asSystem } from "@/db/client";
import { userPasskeys } from "@/db/schema";
import type { Ctx } from "@/server/ground/context";
import { includesPermission } from "@/server/ground/permissions";
import { authenticate } from "@/server/identity/auth/authenticate";
import { createSchedule } from "@/server/notify/report-schedules/schedules";
import {
  alertIn,
  archivedIn,
  createWorld,
  deliveryIn,
  deviceIn,
  enrollmentKeyIn,
  entryIn,
  exceptionIn,
  exportOf,
  fieldIn,
  foreignTo,
  itself,
  keyIn,
  PROBE_RULE,
  type Principal,
  proofLinkIn,
  restoredIn,
  ruleIn,
  savedViewIn,
  streamIn,
  userIn,
  type World,
  webhookIn,
} from "@/testing/api/matrix";
import { claimsOf, createUser, ctxFor } from "@/testing/factories";
import { importIn } from "@/testing/import/imports";
import type { ProcedureMeta } from "./init";
import { appRouter } from "./root";

type Procedure = { _def: { meta?: ProcedureMeta; type: string; inputs: z.ZodType[] } };
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);

/** Open to all: first-run set-up, choosing a password by a link, and the second step of a sign-in. */
const PUBLIC = [
  "setup.status",
  "setup.complete",
  "auth.acceptInvite",
  "auth.describeChallenge",
  "auth.forgotPassword",
  "auth.resetPassword",
];

async function callerOf(principal: Principal): Promise<Ctx | null> {
  if (principal.kind !== "person" && principal.kind !== "key") return null;
  const request = new Request("http://127.0.0.1:3000/", { headers: { authorization: `Bearer ${principal.token}` } });
  const { viaCookie: _, ...found } = await authenticate(request, { auth: "user" });
  return { ...found, ip: "127.0.0.1", userAgent: "vitest", requestId: randomUUID(), now: () => new Date() };
}

const invoke = (path: string, caller: Ctx | null, input: unknown): Promise<unknown> => {
  const root = appRouter.createCaller({ caller, requestId: randomUUID() }) as unknown as Record<
    string,
    Record<string, (input: unknown) => Promise<unknown>>
  >;
  const [router = "", procedure = ""] = path.split(".");
  const call = root[router]?.[procedure];
  if (!call) throw new Error(`no procedure ${path}`);
  return call(input);
};

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "OK",
    (error: unknown) => (error instanceof TRPCError ? error.code : String(error)),
  );

const sessionIn = async (orgId: string) => ({ id: (await claimsOf(await createUser({ orgId }))).sid });
const passkeyIn = async (orgId: string) => {
  const key = { id: randomUUID(), userId: (await createUser({ orgId })).id, publicKey: "unused", name: "Probe" };
  await asSystem((tx) => tx.insert(userPasskeys).values({ ...key, credentialId: key.id }));
  return key;
};
const scheduleIn = async (orgId: string) => {
  const admin = await ctxFor(await createUser({ orgId, role: "org_admin" }));
  return createSchedule.run(admin, { report: "security", cadence: "monthly", orgId });
};

/** The members of a procedure's input that name something by its id. */
const idsOf = ({ _def }: Procedure): string[] =>
  _def.inputs
    .flatMap((input) => Object.keys(z.toJSONSchema(input, { io: "input", unrepresentable: "any" }).properties ?? {}))
    .filter((name) => /(^id|Ids?)$/.test(name));

describe("tRPC access matrix", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  it.each(procedures.map(([path, p]) => [path, p._def.meta?.permission] as const))(
    "%s rejects callers without permission",
    async (path, permission) => {
      const wrong: string[] = [];
      for (const principal of world.principals) {
        const caller = await callerOf(principal).catch(() => null);
        const code = await codeOf(invoke(path, caller, { id: "not a uuid" }));
        const right = PUBLIC.includes(path)
          ? null
          : !caller
            ? "UNAUTHORIZED"
            : permission && !includesPermission(caller.permissions, permission)
              ? "FORBIDDEN"
              : null;
        if (right && code !== right) wrong.push(`${principal.name}: ${code} instead of ${right}`);
        if (!right && (code === "UNAUTHORIZED" || code === "INTERNAL_SERVER_ERROR"))
          wrong.push(`${principal.name}: ${code}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  type Named = { create: (orgId: string) => Promise<{ id: string }>; rest?: object; as?: string; many?: true };
  const anotherPartner = async () => ({ id: world.elsewherePartnerId });
  /** Procedures that name one thing by its id: a foreign one must look like a missing one. */
  const NAMED: Record<string, Named> = {
    "audit.related": { create: entryIn },
    "audit.neighbours": { create: entryIn },
    "audit.around": { create: entryIn },
    "audit.previousChange": { create: entryIn },
    "audit.get": { create: entryIn },
    "audit.json": { create: entryIn },
    "integrity.entryStatus": { create: entryIn },
    "proofs.create": { create: entryIn },
    "proofs.share": { create: entryIn },
    "proofs.revoke": { create: proofLinkIn },
    "devices.get": { create: deviceIn },
    "devices.revokeAgent": { create: deviceIn },
    "devices.releaseAgent": { create: deviceIn },
    "devices.diagnosticLogs": { create: deviceIn },
    "devices.eventLogs": { create: deviceIn },
    "devices.timeline": { create: deviceIn },
    "organizations.get": { create: itself },
    "organizations.update": { create: itself, rest: { name: "Renamed" } },
    "users.update": { create: userIn, rest: { department: "X" } },
    "users.invite": { create: userIn },
    "apiKeys.revoke": { create: keyIn },
    "apiKeys.update": { create: keyIn, rest: { name: "Renamed" } },
    "apiKeys.rotate": { create: keyIn },
    "enrollmentKeys.revoke": { create: enrollmentKeyIn },
    "customFields.get": { create: fieldIn },
    "customFields.usage": { create: fieldIn },
    "customFields.update": { create: fieldIn, rest: { name: "Renamed" } },
    "customFields.retype": { create: fieldIn, rest: { type: "text" } },
    "customFields.remove": { create: fieldIn },
    "customFields.ofDevice": { create: deviceIn },
    "customFields.setOfDevice": { create: deviceIn, rest: { asset_tag: "A-1" } },
    "liveEvents.logs": { create: deviceIn, as: "deviceId" },
    "liveEvents.log": { create: deviceIn, as: "deviceId", rest: { name: "Security" } },
    "liveEvents.events": { create: deviceIn, as: "deviceId", rest: { name: "Security" } },
    "liveEvents.event": { create: deviceIn, as: "deviceId", rest: { name: "Security", recordId: 1 } },
    "retention.get": { create: itself },
    "retention.preview": { create: itself, rest: { retentionDays: 90 } },
    "retention.set": { create: itself, rest: { retentionDays: 90 } },
    "retention.deviceLogs": { create: itself },
    "retention.previewDeviceLogs": { create: itself, rest: { diagnosticDays: 90, eventDays: 90 } },
    "retention.setDeviceLogs": { create: itself, rest: { diagnosticDays: 90, eventDays: 90 } },
    "integrity.verify": { create: itself, as: "orgId" },
    "integrity.checkpoints": { create: itself, as: "orgId" },
    "retention.previewMany": { create: itself, as: "orgId", many: true, rest: { retentionDays: 90 } },
    "retention.setMany": { create: itself, as: "orgId", many: true, rest: { retentionDays: 90 } },
    "notifications.setSettings": { create: itself, as: "organizationIds", many: true },
    "organizations.partnerPolicy": { create: anotherPartner, as: "partnerId" },
    "organizations.setPartnerPolicy": { create: anotherPartner, as: "partnerId", rest: { requireTwoFactor: false } },
    "organizations.create": { create: anotherPartner, as: "partnerId", rest: { name: "Probe" } },
    "me.endSession": { create: sessionIn },
    "me.removePasskey": { create: passkeyIn },
    "reportSchedules.remove": { create: scheduleIn },
    "enrollmentKeys.create": { create: itself, as: "orgId" },
    "apiKeys.create": { create: itself, as: "orgId", rest: { name: "Probe", permissions: ["audit:read"] } },
    "customFields.create": {
      create: itself,
      as: "orgId",
      rest: { name: "Probe", fieldKey: "foreign_probe", type: "text" },
    },
    "reportSchedules.create": { create: itself, as: "orgId", rest: { report: "security", cadence: "monthly" } },
    "users.create": {
      create: itself,
      as: "orgId",
      rest: { email: `${randomUUID()}@example.test`, name: "Probe", role: "org_viewer" },
    },
    "webhooks.create": {
      create: itself,
      as: "orgId",
      rest: { name: "Probe", url: "https://hooks.example.com/probe", kinds: ["chain.broken"] },
    },
    "streams.create": {
      create: itself,
      as: "orgId",
      rest: { name: "Probe", kind: "https", config: { url: "https://siem.example.com/in" } },
    },
    "detections.createRule": { create: itself, as: "orgId", rest: { yaml: PROBE_RULE } },
    "detections.backtest": { create: itself, as: "orgId", rest: { yaml: PROBE_RULE, days: 1 } },
    "detections.rule": { create: ruleIn },
    "detections.updateRule": { create: ruleIn, rest: { dedupeSeconds: 60 } },
    "detections.removeRule": { create: ruleIn },
    "detections.alert": { create: alertIn },
    "detections.updateAlert": { create: alertIn, rest: { state: "acknowledged" } },
    "detections.createException": {
      create: ruleIn,
      as: "ruleId",
      rest: { fields: { "user.name": "Probe" }, reason: "Probe" },
    },
    "detections.removeException": { create: exceptionIn },
    "archive.restore": { create: itself, as: "orgId", rest: { fromSeq: 1, toSeq: 1 } },
    "archive.entries": { create: restoredIn },
    "archive.verify": { create: archivedIn },
    "streams.preview": { create: itself, as: "orgId" },
    "streams.update": { create: streamIn, rest: { name: "Renamed" } },
    "streams.replay": { create: streamIn, rest: { fromSeq: 1, toSeq: 1 } },
    ...Object.fromEntries(
      ["get", "remove", "check", "pause", "resume", "rotate", "batches", "gaps"].map((verb) => [
        `streams.${verb}`,
        { create: streamIn },
      ]),
    ),
    "webhooks.update": { create: webhookIn, rest: { name: "Renamed" } },
    "webhooks.rotate": { create: webhookIn },
    "webhooks.test": { create: webhookIn },
    "webhooks.remove": { create: webhookIn },
    "deliveries.resend": { create: deliveryIn },
    "exports.remove": { create: (orgId) => exportOf(orgId, null) },
    "savedViews.update": { create: savedViewIn, rest: { name: "Renamed" } },
    "savedViews.remove": { create: savedViewIn },
    ...Object.fromEntries(
      [
        "get",
        "guesses",
        "faults",
        "rows",
        "stage",
        "check",
        "run",
        "undoEdit",
        "cancel",
        "undo",
        "discard",
        "ignoreMapping",
      ].map((name) => [`imports.${name}`, { create: importIn }]),
    ),
    "imports.preview": { create: importIn, rest: { fileNo: 0 } },
    "imports.setFormat": { create: importIn, rest: { fileNo: 0, format: { headerRow: 1 } } },
    "imports.pick": { create: importIn, rest: { rowNo: 1, deviceId: null } },
    "imports.edit": { create: importIn, rest: { edit: { kind: "cell", rowNo: 1, column: 0, value: "x" } } },
    "imports.savePlan": {
      create: importIn,
      rest: { plan: { identifiers: { sourceId: 0, hostname: null, organization: null, serial: null }, fields: [] } },
    },
  };

  it.each(Object.entries(NAMED))(
    "%s answers a foreign target like a missing one",
    async (path, { create, rest = {}, as = "id", many }) => {
      const created = { [world.elsewhere]: await create(world.elsewhere), [world.b]: await create(world.b) };
      for (const principal of world.principals) {
        const caller = await callerOf(principal).catch(() => null);
        if (!caller) continue;
        const foreign = created[foreignTo(world, principal)] as { id: string };
        const codes = await Promise.all(
          [foreign.id, randomUUID()].map((id) => codeOf(invoke(path, caller, { [as]: many ? [id] : id, ...rest }))),
        );
        expect([principal.name, codes[0]]).toEqual([principal.name, codes[1]]);
        expect(["NOT_FOUND", "FORBIDDEN"]).toContain(codes[0]);
      }
    },
  );

  /** Lists and figures of what an id names: a foreign one's are those of one that does not exist. */
  const FILTERED: Record<string, Pick<Named, "create" | "as">> = {
    ...Object.fromEntries(
      [
        "apiKeys.list",
        "archive.objects",
        "archive.restorations",
        "audit.list",
        "audit.print",
        "audit.facets",
        "audit.histogram",
        "audit.routine",
        "audit.reportUserActivity",
        "audit.reportSecurityEvents",
        "audit.reportCompliance",
        "audit.statistics",
        "customFields.list",
        "deliveries.list",
        "detections.alerts",
        "detections.exceptions",
        "detections.rules",
        "devices.list",
        "enrollmentKeys.list",
        "exports.create",
        "integrity.status",
        "notifications.list",
        "notifications.read",
        "notifications.summary",
        "organizations.overview",
        "organizations.today",
        "streams.list",
        "users.list",
        "webhooks.list",
      ].map((path) => [path, { create: itself, as: "orgId" }]),
    ),
    "proofs.links": { create: entryIn },
  };

  const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      (value) => JSON.parse(JSON.stringify(value ?? null)),
      (error: unknown) => (error instanceof TRPCError ? error.code : String(error)),
    );

  it.each(Object.entries(FILTERED))(
    "%s returns nothing of a foreign organization",
    async (path, { create, as = "id" }) => {
      const created = { [world.elsewhere]: await create(world.elsewhere), [world.b]: await create(world.b) };
      for (const principal of world.principals) {
        const caller = await callerOf(principal).catch(() => null);
        if (!caller) continue;
        const [foreign, missing] = await Promise.all(
          [created[foreignTo(world, principal)]?.id, randomUUID()].map((id) =>
            outcomeOf(invoke(path, caller, { [as]: id })),
          ),
        );
        expect([principal.name, foreign]).toEqual([principal.name, missing]);
        expect(foreign).not.toBe("BAD_REQUEST");
      }
    },
  );

  /** Held to the same by tests of their own. */
  const ELSEWHERE = ["audit.tail", "integrity.progress"];

  it("covers every procedure that takes an ID", () => {
    const held = new Set([...Object.keys(NAMED), ...Object.keys(FILTERED), ...ELSEWHERE]);
    const missing = procedures.filter(([path, procedure]) => !held.has(path) && idsOf(procedure).length > 0);
    expect(missing.map(([path, procedure]) => `${path}: ${idsOf(procedure)}`)).toEqual([]);
    expect([...held].filter((path) => !procedures.some(([name]) => name === path))).toEqual([]);
  });
});
