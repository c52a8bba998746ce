import { randomUUID } from "node:crypto";
import { hash as argon2 } from "@node-rs/argon2";
import { and, type Column, eq, getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import { asSystem } from "@/db/client";
import {
  agents,
  apiKeys,
  auditLogs,
  devices,
  enrollmentKeys,
  organizations,
  partners,
  refreshTokens,
  userOrganizations,
  userSessions,
  users,
} from "@/db/schema";
import { flushRecording } from "@/server/audit/record/record";
import { createRegistry } from "@/server/doors/front/registry";
import type { RouteHandler } from "@/server/doors/http/route";
import type { Ctx } from "@/server/ground/context";
import type { Permission, Role } from "@/server/ground/permissions";
import { newSecret, type SecretKind } from "@/server/ground/secrets";
import { authenticate } from "@/server/identity/auth/authenticate";
import { type AccessClaims, scopeClaims, signAccessToken } from "@/server/identity/auth/jwt";

/** Default password of people from createUser. */
export const PASSWORD = "correct horse battery staple";
let hashed: Promise<string> | undefined;
function passwordHash(): Promise<string> {
  hashed ??= argon2(PASSWORD);
  return hashed;
}

/** Short and unique, for names and slugs: suites share a database without cleaning up. */
const unique = () => randomUUID().slice(0, 13);

export type TestPartner = { id: string; name: string; homeOrgId: string };
export type TestOrg = { id: string; partnerId: string; name: string };
export type TestUser = {
  kind: "user";
  id: string;
  email: string;
  name: string;
  password: string;
  role: Role;
  partnerId: string | null;
  orgId: string | null;
};
export type TestApiKey = {
  kind: "api_key";
  id: string;
  name: string;
  key: string;
  partnerId: string;
  orgId: string | null;
  permissions: Permission[];
};
export type TestDevice = {
  kind: "device";
  id: string;
  orgId: string;
  hostname: string;
  agentId: string;
  token: string;
};

/** A partner with its home organization. */
export async function createPartner(over: { name?: string } = {}): Promise<TestPartner> {
  const id = randomUUID();
  const homeOrgId = randomUUID();
  const name = over.name ?? `Partner ${unique()}`;
  await asSystem(async (tx) => {
    await tx.insert(partners).values({ id, name, slug: `partner-${id}` });
    await tx.insert(organizations).values({ id: homeOrgId, partnerId: id, name, slug: "home", isHome: true });
  });
  return { id, name, homeOrgId };
}

/** A customer organization, by default of its own partner. */
export async function createOrg(over: { id?: string; partnerId?: string; name?: string } = {}): Promise<TestOrg> {
  const partnerId = over.partnerId ?? (await createPartner()).id;
  const id = over.id ?? randomUUID();
  const name = over.name ?? `Org ${unique()}`;
  await asSystem((tx) => tx.insert(organizations).values({ id, partnerId, name, slug: `org-${id}` }));
  return { id, partnerId, name };
}

export async function partnerOf(orgId: string): Promise<string> {
  const [found] = await asSystem((tx) =>
    tx.select({ partnerId: organizations.partnerId }).from(organizations).where(eq(organizations.id, orgId)),
  );
  if (!found) throw new Error(`no organization ${orgId}`);
  return found.partnerId;
}

type UserOver = {
  role?: Role;
  orgId?: string;
  partnerId?: string;
  email?: string;
  name?: string;
  department?: string;
  password?: string;
  disabled?: boolean;
  organizationIds?: string[];
};

/** A person who can sign in, by default an org_admin of a new organization. organizationIds limits a partner role. */
export async function createUser(over: UserOver = {}): Promise<TestUser> {
  const role = over.role ?? "org_admin";
  const id = randomUUID();
  let orgId: string | null = null;
  let partnerId: string | null = null;
  if (role.startsWith("org_")) {
    const org = over.orgId
      ? { id: over.orgId, partnerId: over.partnerId ?? (await partnerOf(over.orgId)) }
      : await createOrg(over.partnerId ? { partnerId: over.partnerId } : {});
    orgId = org.id;
    partnerId = org.partnerId;
  } else if (role !== "system_admin") partnerId = over.partnerId ?? (await createPartner()).id;
  const user = {
    id,
    partnerId,
    orgId,
    email: over.email ?? `user-${unique()}@example.test`,
    name: over.name ?? `User ${unique()}`,
    role,
  };
  const password = over.password ?? PASSWORD;
  const hash = over.password ? await argon2(over.password) : await passwordHash();
  await asSystem(async (tx) => {
    const rest = {
      department: over.department ?? "",
      allOrganizations: !over.organizationIds,
      disabledAt: over.disabled ? new Date() : null,
    };
    await tx.insert(users).values({ ...user, ...rest, passwordHash: hash });
    if (over.organizationIds?.length)
      await tx.insert(userOrganizations).values(over.organizationIds.map((org) => ({ userId: id, orgId: org })));
  });
  return { kind: "user", ...user, password };
}

/** An API key: of an organization (orgId), or a partner (only partnerId); by default of a new organization. */
export async function createApiKey(
  over: {
    orgId?: string;
    partnerId?: string;
    permissions?: Permission[];
    name?: string;
    expiresAt?: Date;
    revoked?: boolean;
  } = {},
): Promise<TestApiKey> {
  const org = !over.orgId && !over.partnerId ? await createOrg() : null;
  const orgId = over.orgId ?? org?.id ?? null;
  const partnerId = over.partnerId ?? org?.partnerId ?? (await partnerOf(orgId as string));
  const { secret, shown, hash } = newSecret("apiKey");
  const row = {
    id: randomUUID(),
    partnerId,
    orgId,
    name: over.name ?? `Key ${unique()}`,
    permissions: over.permissions ?? ["audit:read" as const],
  };
  await asSystem((tx) =>
    tx.insert(apiKeys).values({
      ...row,
      prefix: shown,
      keyHash: hash,
      expiresAt: over.expiresAt ?? null,
      revokedAt: over.revoked ? new Date() : null,
    }),
  );
  return { kind: "api_key", ...row, key: secret };
}

export async function createEnrollmentKey(
  over: { orgId?: string; maxUses?: number; expiresAt?: Date; revoked?: boolean } = {},
): Promise<{ id: string; orgId: string; key: string }> {
  const orgId = over.orgId ?? (await createOrg()).id;
  const { secret, shown, hash } = newSecret("enrollment");
  const id = randomUUID();
  const rest = {
    maxUses: over.maxUses ?? null,
    expiresAt: over.expiresAt ?? null,
    revokedAt: over.revoked ? new Date() : null,
  };
  await asSystem((tx) => tx.insert(enrollmentKeys).values({ id, orgId, prefix: shown, keyHash: hash, ...rest }));
  return { id, orgId, key: secret };
}

/** A device with its agent and the agent's token. */
export async function createDevice(
  over: {
    orgId?: string;
    hostname?: string;
    os?: string;
    agentId?: string;
    revoked?: boolean;
    lastIp?: string;
    lastSeenAt?: Date;
  } = {},
): Promise<TestDevice> {
  const orgId = over.orgId ?? (await createOrg()).id;
  const { secret, hash } = newSecret("agent");
  const device = { id: randomUUID(), orgId, hostname: over.hostname ?? `WS-${unique()}` };
  const agentId = over.agentId ?? randomUUID();
  await asSystem(async (tx) => {
    await tx
      .insert(devices)
      .values({ ...device, os: over.os ?? "linux", lastIp: over.lastIp ?? null, lastSeenAt: over.lastSeenAt ?? null });
    await tx.insert(agents).values({
      id: agentId,
      deviceId: device.id,
      orgId,
      tokenHash: hash,
      revokedAt: over.revoked ? new Date() : null,
    });
  });
  return { kind: "device", ...device, agentId, token: secret };
}

/** A secret in valid form that was never issued. */
export const unknownSecret = (kind: SecretKind): string => newSecret(kind).secret;

/** Claims of a person's sign-in, as in a token from POST /auth/token. */
export async function claimsOf(user: TestUser): Promise<AccessClaims> {
  const sid = randomUUID();
  const row = {
    familyId: sid,
    userId: user.id,
    tokenHash: newSecret("refresh").hash,
    expiresAt: new Date(Date.now() + 3_600_000),
  };
  await asSystem(async (tx) => {
    await tx.insert(refreshTokens).values(row);
    await tx.insert(userSessions).values({ id: sid, userId: user.id, via: "api" });
  });
  if (user.role === "system_admin") return { sub: user.id, sid, ...scopeClaims({ kind: "system" }) };
  const partnerId = user.partnerId as string;
  const scope = user.orgId
    ? ({ kind: "organization", orgIds: [user.orgId], partnerId } as const)
    : ({ kind: "partner", orgIds: [], partnerId } as const);
  return { sub: user.id, sid, ...scopeClaims(scope) };
}

/** A fresh access token of a person. */
export const bearer = async (user: TestUser): Promise<string> => signAccessToken(await claimsOf(user));

type Subject = TestUser | TestApiKey | TestDevice | Role;

async function toToken(subject: Exclude<Subject, Role>): Promise<string> {
  if (subject.kind === "api_key") return subject.key;
  return subject.kind === "device" ? subject.token : bearer(subject);
}

/**
 * Context of this caller, looked up as for a real request. A role name stands for a new person with that role in a new
 * organization or partner.
 */
export async function ctxFor(subject: Subject, over: Partial<Ctx> = {}): Promise<Ctx> {
  const caller = typeof subject === "string" ? await createUser({ role: subject }) : subject;
  const headers = { authorization: `Bearer ${await toToken(caller)}` };
  const auth = caller.kind === "device" ? "agent" : "user";
  const { viaCookie: _, ...found } = await authenticate(new Request("http://127.0.0.1:3000/", { headers }), { auth });
  return { ...found, ip: "203.0.113.7", userAgent: "vitest", requestId: randomUUID(), now: () => new Date(), ...over };
}

type Asking = {
  token?: string | Exclude<Subject, Role> | undefined;
  headers?: Record<string, string>;
  /** The socket's address, as reported by the front. */
  ip?: string;
  signal?: AbortSignal;
};
/** A bearer token (any kind), the caller to create one for, or nobody; with headers and address where they matter. */
export type Caller = Asking["token"] | Asking | null;

const toAsking = (caller: Caller): Asking =>
  caller && typeof caller === "object" && !("kind" in caller) ? caller : { token: caller ?? undefined };

// biome-ignore lint/suspicious/noExplicitAny: an answer is parsed by its strict schema; tests read its members freely
export type Answer = { status: number; headers: Headers; text: string; body: any };

let findFile: ReturnType<typeof createRegistry> | undefined;

/** The handler of a request and its path's parameters, found as the front does; each file is loaded when first asked. */
async function findRoute(method: string, path: string) {
  const files = Object.entries(import.meta.glob("/app/api/v1/**/route.ts"));
  findFile ??= createRegistry(
    files.map(([file, load]) => ({ path: file.replace(/^\/app\/api\/v1|\/route\.ts$/g, ""), module: { load } })),
  );
  const found = findFile(path);
  const load = found?.handlers.load as () => Promise<Record<string, RouteHandler>>;
  const handler = (await load?.())?.[method];
  if (!found || !handler) throw new Error(`There is no ${method} ${path}`);
  return { handler, params: found.params };
}

async function ask(caller: Caller, line: string, body: unknown) {
  const { token, headers = {}, ip = "127.0.0.1", signal } = toAsking(caller);
  const [method = "", path = ""] = line.split(/ (.*)/s);
  const { handler, params } = await findRoute(method, path.split("?")[0] ?? "");
  const sent = new Headers({ "x-trailmark-peer": ip, "user-agent": "vitest", ...headers });
  if (token) sent.set("authorization", `Bearer ${typeof token === "string" ? token : await toToken(token)}`);
  if (body !== undefined && !sent.has("content-type")) sent.set("content-type", "application/json");
  const raw =
    body === undefined ? null : typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const request = new Request(`http://127.0.0.1:3000/api/v1${path}`, {
    method,
    headers: sent,
    body: raw as RequestInit["body"],
    ...(signal && { signal }),
  });
  return { response: await handler(request, { params: Promise.resolve(params) }), output: handler.spec.output };
}

/** Sends a request to its route, such as "GET /users?limit=5" below /api/v1. */
export const send = async (caller: Caller, line: string, body?: unknown): Promise<Response> =>
  (await ask(caller, line, body)).response;

/**
 * Sends a request and reads its answer. A success is parsed by the route's own output schema, so every such test is a
 * contract test.
 */
export async function call(caller: Caller, line: string, body?: unknown): Promise<Answer> {
  const { response, output } = await ask(caller, line, body);
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
  const answer = {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
  if (response.ok && isJson && output instanceof z.ZodType) output.parse(answer.body);
  return answer;
}

const matching = (table: PgTable, of: object) => {
  const columns: Record<string, Column> = getTableColumns(table);
  return and(...Object.entries(of).map(([name, value]) => eq(columns[name] as Column, value)));
};

/** The rows of a table with these values, of every organization. */
export const rowsIn = <T extends PgTable>(table: T, of: Partial<T["$inferSelect"]>): Promise<T["$inferSelect"][]> =>
  asSystem((tx) =>
    tx
      .select()
      .from(table as PgTable)
      .where(matching(table, of)),
  );

/** Changes rows behind the product's back, as time or another process does. */
export const changeRows = <T extends PgTable>(
  table: T,
  of: Partial<T["$inferSelect"]>,
  values: Partial<T["$inferInsert"]>,
) => asSystem((tx) => tx.update(table).set(values).where(matching(table, of)));

/** Recorded events arrive within milliseconds, or later on a busy machine. */
const FLUSH_MS = 60_000;

/** An organization's audit log in chain order, after everything recorded so far is in the database. */
export async function auditRows(orgId: string): Promise<(typeof auditLogs.$inferSelect)[]> {
  await flushRecording(FLUSH_MS);
  return asSystem((tx) => tx.select().from(auditLogs).where(eq(auditLogs.orgId, orgId)).orderBy(auditLogs.chainSeq));
}
