import { randomUUID } from "node:crypto";
import { createDevice } from "@/testing/factories";
import { deviceIn, exportOf, type Principal, type Target } from "./matrix";

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

const newDevice = async (orgId: string, target: Target) =>
  target === "missing" ? randomUUID() : (await deviceIn(orgId)).id;
export const device = (
  own: number[],
  rest: { extra?: Record<string, string>; query?: string; body?: unknown; as?: string } = {},
): Row => ({
  by: "path",
  own,
  build: async (orgId, target) => ({
    params: { [rest.as ?? "id"]: await newDevice(orgId, target), ...rest.extra },
    query: rest.query ?? "",
    ...(rest.body === undefined ? {} : { body: rest.body }),
  }),
});
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
export const list = (own: Row["own"] = [200]): Row => ({
  by: "org",
  own,
  build: (orgId) => ({ query: `orgId=${orgId}` }),
});
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
export const createdIn = (build: (orgId: string) => Promise<{ id: string }>, own: Row["own"], body?: unknown): Row => ({
  by: "path",
  own,
  build: async (orgId, target) => ({
    params: { id: target === "missing" ? randomUUID() : (await build(orgId)).id },
    ...(body === undefined ? {} : { body }),
  }),
});
export const org = (own: Row["own"], rest: Partial<Probe> = {}, suffix = ""): Row => ({
  by: "path",
  own,
  build: (orgId) => ({ params: { id: orgId }, ...rest, ...(suffix ? { query: suffix } : {}) }),
});
