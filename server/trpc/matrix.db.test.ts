import { randomUUID } from "node:crypto";
import { TRPCError } from "@trpc/server";
import { beforeAll, describe, expect, it } from "vitest";
import { authenticate } from "@/server/auth/authenticate";
import type { Ctx } from "@/server/context";
import {
  createWorld,
  deliveryIn,
  deviceIn,
  enrollmentKeyIn,
  exportOf,
  fieldIn,
  foreignTo,
  keyIn,
  type Principal,
  proofLinkIn,
  savedViewIn,
  userIn,
  type World,
  webhookIn,
} from "@/testing/api/matrix";
import { appendEvents } from "@/testing/audit-entries";
import { importIn } from "@/testing/import/imports";
import type { ProcedureMeta } from "./init";
import { appRouter } from "./root";

type Procedure = { _def: { meta?: ProcedureMeta; type: string } };
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

describe("every tRPC procedure", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });

  it.each(procedures.map(([path, p]) => [path, p._def.meta?.permission] as const))(
    "%s refuses whoever may not call it",
    async (path, permission) => {
      const wrong: string[] = [];
      for (const principal of world.principals) {
        const caller = await callerOf(principal).catch(() => null);
        const code = await codeOf(invoke(path, caller, { id: "not a uuid" }));
        const right = PUBLIC.includes(path)
          ? null
          : !caller
            ? "UNAUTHORIZED"
            : permission && !caller.permissions.has(permission)
              ? "FORBIDDEN"
              : null;
        if (right && code !== right) wrong.push(`${principal.name}: ${code} instead of ${right}`);
        if (!right && (code === "UNAUTHORIZED" || code === "INTERNAL_SERVER_ERROR"))
          wrong.push(`${principal.name}: ${code}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  /** Procedures that name one thing by its id: a foreign one must look like a missing one. */
  const NAMED: Record<string, { create: (orgId: string) => Promise<{ id: string }>; rest?: object }> = {
    "audit.related": { create: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "audit.get": { create: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "integrity.entryStatus": { create: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "proofs.make": { create: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "proofs.share": { create: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "proofs.revoke": { create: proofLinkIn },
    "devices.get": { create: deviceIn },
    "devices.revokeAgent": { create: deviceIn },
    "devices.releaseAgent": { create: deviceIn },
    "devices.diagnosticLogs": { create: deviceIn },
    "devices.eventLogs": { create: deviceIn },
    "devices.timeline": { create: deviceIn },
    "organizations.get": { create: async (id) => ({ id }) },
    "organizations.update": { create: async (id) => ({ id }), rest: { name: "Renamed" } },
    "users.update": { create: userIn, rest: { department: "X" } },
    "users.invite": { create: userIn },
    "apiKeys.revoke": { create: keyIn },
    "apiKeys.update": { create: keyIn, rest: { name: "Renamed" } },
    "apiKeys.rotate": { create: keyIn },
    "enrollmentKeys.revoke": { create: enrollmentKeyIn },
    "customFields.get": { create: (orgId) => fieldIn(world, orgId) },
    "customFields.usage": { create: (orgId) => fieldIn(world, orgId) },
    "customFields.update": { create: (orgId) => fieldIn(world, orgId), rest: { name: "Renamed" } },
    "customFields.retype": { create: (orgId) => fieldIn(world, orgId), rest: { type: "text" } },
    "customFields.remove": { create: (orgId) => fieldIn(world, orgId) },
    "customFields.ofDevice": { create: deviceIn },
    "webhooks.update": { create: (orgId) => webhookIn(world, orgId), rest: { name: "Renamed" } },
    "webhooks.rotate": { create: (orgId) => webhookIn(world, orgId) },
    "webhooks.test": { create: (orgId) => webhookIn(world, orgId) },
    "webhooks.remove": { create: (orgId) => webhookIn(world, orgId) },
    "deliveries.resend": { create: (orgId) => deliveryIn(world, orgId) },
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
        "guessAfresh",
        "check",
        "run",
        "undoEdit",
        "cancel",
        "undo",
        "discard",
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

  it.each(Object.keys(NAMED).filter((path) => procedures.some(([p]) => p === path)))(
    "%s answers a foreign target like a missing one",
    async (path) => {
      const { create, rest = {} } = NAMED[path] as (typeof NAMED)[string];
      const created = { [world.elsewhere]: await create(world.elsewhere), [world.b]: await create(world.b) };
      for (const principal of world.principals) {
        const caller = await callerOf(principal).catch(() => null);
        if (!caller) continue;
        const foreign = created[foreignTo(world, principal)] as { id: string };
        const codes = await Promise.all(
          [foreign.id, randomUUID()].map((id) => codeOf(invoke(path, caller, { id, ...rest }))),
        );
        expect([principal.name, codes[0]]).toEqual([principal.name, codes[1]]);
        expect(["NOT_FOUND", "FORBIDDEN"]).toContain(codes[0]);
      }
    },
  );
});
