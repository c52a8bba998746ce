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
import { createCaller, type ProcedureMeta } from "./init";
import { appRouter } from "./root";

type Procedure = { _def: { meta?: ProcedureMeta; type: string } };
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);

/** Open to everybody: first-run set-up, choosing a password by a link, and the second step of a sign-in. */
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
  const root = createCaller(appRouter)({ caller, requestId: randomUUID() }) as unknown as Record<
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
  const NAMED: Record<string, { make: (orgId: string) => Promise<{ id: string }>; rest?: object }> = {
    "audit.related": { make: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "audit.get": { make: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "integrity.entryStatus": { make: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "proofs.make": { make: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "proofs.share": { make: async (orgId) => (await appendEvents([{ orgId }]))[0] as { id: string } },
    "proofs.revoke": { make: proofLinkIn },
    "devices.get": { make: deviceIn },
    "devices.revokeAgent": { make: deviceIn },
    "devices.releaseAgent": { make: deviceIn },
    "devices.diagnosticLogs": { make: deviceIn },
    "devices.eventLogs": { make: deviceIn },
    "devices.timeline": { make: deviceIn },
    "organizations.get": { make: async (id) => ({ id }) },
    "organizations.update": { make: async (id) => ({ id }), rest: { name: "Renamed" } },
    "users.update": { make: userIn, rest: { department: "X" } },
    "users.invite": { make: userIn },
    "apiKeys.revoke": { make: keyIn },
    "apiKeys.update": { make: keyIn, rest: { name: "Renamed" } },
    "apiKeys.rotate": { make: keyIn },
    "enrollmentKeys.revoke": { make: enrollmentKeyIn },
    "customFields.get": { make: (orgId) => fieldIn(world, orgId) },
    "customFields.usage": { make: (orgId) => fieldIn(world, orgId) },
    "customFields.update": { make: (orgId) => fieldIn(world, orgId), rest: { name: "Renamed" } },
    "customFields.retype": { make: (orgId) => fieldIn(world, orgId), rest: { type: "text" } },
    "customFields.remove": { make: (orgId) => fieldIn(world, orgId) },
    "customFields.ofDevice": { make: deviceIn },
    "webhooks.update": { make: (orgId) => webhookIn(world, orgId), rest: { name: "Renamed" } },
    "webhooks.rotate": { make: (orgId) => webhookIn(world, orgId) },
    "webhooks.test": { make: (orgId) => webhookIn(world, orgId) },
    "webhooks.remove": { make: (orgId) => webhookIn(world, orgId) },
    "deliveries.resend": { make: (orgId) => deliveryIn(world, orgId) },
    "exports.remove": { make: (orgId) => exportOf(orgId, null) },
    "savedViews.update": { make: savedViewIn, rest: { name: "Renamed" } },
    "savedViews.remove": { make: savedViewIn },
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
      ].map((name) => [`imports.${name}`, { make: importIn }]),
    ),
    "imports.preview": { make: importIn, rest: { fileNo: 0 } },
    "imports.setFormat": { make: importIn, rest: { fileNo: 0, format: { headerRow: 1 } } },
    "imports.pick": { make: importIn, rest: { rowNo: 1, deviceId: null } },
    "imports.edit": { make: importIn, rest: { edit: { kind: "cell", rowNo: 1, column: 0, value: "x" } } },
    "imports.savePlan": {
      make: importIn,
      rest: { plan: { identifiers: { sourceId: 0, hostname: null, organization: null, serial: null }, fields: [] } },
    },
  };

  it.each(Object.keys(NAMED).filter((path) => procedures.some(([p]) => p === path)))(
    "%s answers a foreign target like a missing one",
    async (path) => {
      const { make, rest = {} } = NAMED[path] as (typeof NAMED)[string];
      const made = { [world.elsewhere]: await make(world.elsewhere), [world.b]: await make(world.b) };
      for (const principal of world.principals) {
        const caller = await callerOf(principal).catch(() => null);
        if (!caller) continue;
        const foreign = made[foreignTo(world, principal)] as { id: string };
        const codes = await Promise.all(
          [foreign.id, randomUUID()].map((id) => codeOf(invoke(path, caller, { id, ...rest }))),
        );
        expect([principal.name, codes[0]]).toEqual([principal.name, codes[1]]);
        expect(["NOT_FOUND", "FORBIDDEN"]).toContain(codes[0]);
      }
    },
  );
});
