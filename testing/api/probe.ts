import { z } from "zod";
import { describeApi, listEndpoints } from "@/server/doors/http/openapi";
import type { RouteHandler } from "@/server/doors/http/route";
import { routes } from "@/server/doors/http/routes.generated";
import { PERMISSIONS } from "@/server/ground/permissions";
import { bearer, createApiKey, createUser, type TestUser } from "@/testing/factories";
import { type Described, describedOperations, type FuzzRequest, faultOf, type Hints, withRetries } from "./fuzz";
import { createWorld, THINGS, type World } from "./matrix";

export let world: World;
let key: string;
let person: TestUser;
export let hints: Hints;

const operations = listEndpoints(routes);
/** Every operation, as the published document describes it. */
export const described = describedOperations(
  JSON.parse(JSON.stringify(describeApi(operations, "http://127.0.0.1:3000"))),
);
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

/** A permitted caller; signing out gets a separate one, because it ends sign-ins. */
async function tokenFor({ path, operation }: Described): Promise<string | null> {
  const [security] = operation.security;
  if (!security) return null;
  if (security.agentToken) return world.deviceA.token;
  return path === "/auth/logout" ? bearer(person) : key;
}

type Probed = { fault: string | null; status: number; text: string };

/** Sends a request as a permitted caller and checks the answer; retries slow ones. @returns the fault */
export const probe = (operation: Described, request: FuzzRequest): Promise<Probed> =>
  withRetries(
    () => probeOnce(operation, request),
    ({ fault }) => fault,
  );

/** Sends once, for requests that store something each time. */
export async function probeOnce(operation: Described, request: FuzzRequest): Promise<Probed> {
  try {
    const given = await send(operation, request, await tokenFor(operation));
    const fault = faultOf(operation, given);
    return { fault: fault && `${fault} ${given.text.slice(0, 200)}`, status: given.status, text: given.text };
  } catch (error) {
    return { fault: `threw ${String(error).slice(0, 300)}`, status: 0, text: "" };
  }
}

/** A request on one line. */
export const shown = ({ params, query, body }: FuzzRequest) =>
  `${JSON.stringify(params)} ?${query.slice(0, 150)} ${body ? Buffer.from(body).toString("utf8").slice(0, 200) : ""}`;

/** One example of each kind, for a readable failure. */
export const summary = (wrong: string[]) =>
  [...new Map(wrong.map((w) => [w.replace(/^[^:]+/, "").slice(0, 90), w.slice(0, 400)])).values()].slice(0, 20);

/** A world to send requests to, with existing ids. */
export async function createProbeWorld(): Promise<void> {
  world = await createWorld();
  key = (await createApiKey({ partnerId: world.partnerId, permissions: [...PERMISSIONS] })).key;
  person = await createUser({ orgId: world.a });
  const ids: Record<string, string[]> = { agents: [world.deviceA.agentId] };
  for (const [path, create] of Object.entries(THINGS)) ids[path] = [(await create(world.a)).id];
  ids.devices = [world.deviceA.id, world.deviceB.id, world.deviceElsewhere.id];
  ids["system-tools/devices"] = [world.deviceA.id];
  ids["orgs/organizations"] = [world.a, world.b, world.elsewhere];
  hints = {
    ids: [world.a, world.a, world.a, world.b, world.elsewhere],
    params: (path, name) =>
      name === "id" || name === "deviceId" ? (ids[path.slice(1).split("/{")[0] ?? ""] ?? []) : [],
  };
}
