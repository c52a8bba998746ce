import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { Endpoint } from "@/server/doors/http/route";
import { createDevice } from "@/testing/factories";
import { exportOf, type Principal, type Target, THINGS } from "./matrix";

/** Requests of the permission matrix, by target. */

export type Probe = { params?: Record<string, string>; query?: string; body?: unknown };
export type Row = {
  /** Request for a target in an organization; missing targets get nonexistent ids. */
  build: (orgId: string, target: Target, principal: Principal) => Probe | Promise<Probe>;
  /** Where the target is named: in the path (foreign and missing are 404), by orgId (403), or not at all. */
  by: "path" | "org" | "none";
  /** Answer to a permitted caller for its own target. */
  own: number[] | ((p: Principal) => number[]);
  /** The request ends the caller's own credential, so only the first probe is meaningful. */
  once?: true;
};

/** Only its creator sees an export. */
export const ownExport = (own: number[]): Row => ({
  by: "path",
  own,
  build: async (orgId, target, { token }) => {
    const id = target === "missing" ? randomUUID() : (await exportOf(orgId, target === "own" ? token : null)).id;
    return { params: { id } };
  },
});
export const agentRoute = (own: number[], body?: unknown, extra: Record<string, string> = {}): Row => ({
  by: "path",
  own,
  build: async (_, target, principal) => {
    const foreign = principal.device ? (await createDevice()).agentId : randomUUID();
    const id =
      target === "own" ? (principal.device?.agentId ?? randomUUID()) : target === "foreign" ? foreign : randomUUID();
    return { params: { id, ...extra }, ...(body === undefined ? {} : { body }) };
  },
});
const list = (own: Row["own"]): Row => ({ by: "org", own, build: (orgId) => ({ query: `orgId=${orgId}` }) });
export const open = (own: number[], body?: unknown): Row => ({
  by: "none",
  own,
  build: () => (body === undefined ? {} : { body }),
});
/** The caller's own account, which programs lack. */
export const ofPerson = (own: number[], body?: unknown): Row => ({
  ...open(own, body),
  own: (p) => (p.kind === "person" ? own : [403]),
});
export const posted = (own: Row["own"], body: (orgId: string) => unknown): Row => ({
  by: "org",
  own,
  build: (orgId) => ({ body: body(orgId) }),
});
/** Request about the thing in a path, with an optional query. */
const named = (path: string, create: (orgId: string) => Promise<{ id: string }>, rest: Partial<Probe>) => ({
  by: "path" as const,
  build: async (orgId: string, target: Target): Promise<Probe> => {
    const id = target === "missing" ? randomUUID() : (await create(orgId)).id;
    const values: Record<string, string> = { id, deviceId: id, name: "System", recordId: "1" };
    const names = [...path.matchAll(/\[(\w+)\]/g)].map(([, name = ""]) => name);
    return { params: Object.fromEntries(names.map((name) => [name, values[name] ?? ""])), ...rest };
  },
});

/** Queries of a device's logs by way of its agent, which no test here has connected. */
const LIVE = /eventlogs\/\[name\]|live-eventlogs|system-tools/;

/** The row of an operation whose path and input say what it is about: a thing by its id, an account, an organization. */
export function usualRow({ method, path, spec }: Endpoint, { own, ...rest }: Partial<Probe & Pick<Row, "own">> = {}) {
  const [resource = "", id] = path.slice("/api/v1/".length).split("/[");
  const answers = own ?? (LIVE.test(path) ? [409] : [spec.status ?? (spec.output === "empty" ? 204 : 200)]);
  const thing = THINGS[resource];
  if (thing && id) return { ...named(path, thing, rest), own: answers };
  if (resource.startsWith("me/")) return ofPerson(answers as number[], rest.body);
  const { properties = {} } = z.toJSONSchema(spec.input, { io: "input", unrepresentable: "any" });
  return method === "GET" && "orgId" in properties ? list(answers) : undefined;
}
