import { networkOf, originOf } from "@/server/ground/client-ip";
import type { Caller } from "@/server/ground/context";
import { isHttps } from "@/server/ground/env";
import { AppError, notFound, unknownToken } from "@/server/ground/errors";
import { canonicalId } from "@/server/ground/ids";
import { limit } from "@/server/ground/limits/windows";
import { hashSecret, looksLike, SECRET_PREFIXES } from "@/server/ground/secrets";
import { findAgentCaller, findApiKeyCaller, findUserCaller } from "./caller";
import { verifyAccessToken } from "./jwt";
import { sessionToken } from "./session-cookie";

/** A caller, and whether by cookie: browsers send cookies unasked, so writes need further checks (origin.ts). */
export type Authenticated = Caller & { viaCookie: boolean };
/**
 * records: the request only submits events, which a key may do while the database is down. at: time at which an access
 * token must be valid, by default now; an expired token still covers earlier use.
 */
type Options = { auth: "none" | "user" | "agent"; agentId?: string; records?: boolean; at?: Date };

/** Caller of public endpoints: no scope, no permissions. */
export const ANONYMOUS: Caller = {
  actor: { type: "system" },
  scope: { kind: "partner", orgIds: [], partnerId: "" },
  permissions: new Set(),
  homeOrgId: null,
};

type Headers = { get(name: string): string | null };

function bearer(headers: Headers): string | null {
  const header = headers.get("authorization");
  if (header === null) return null;
  return /^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? "";
}

/** The credential of a request, good or bad; null without one. A header takes precedence. */
export const credentialOf = (headers: Headers): string | null =>
  bearer(headers) ?? headers.get("x-api-key") ?? sessionToken(headers, isHttps());

async function authenticateAgent(request: Request, agentId: string | undefined): Promise<Authenticated> {
  const token = bearer(request.headers);
  if (!token || !looksLike("agent", token))
    throw new AppError("unauthenticated", "This needs the agent's bearer token.");
  const caller = await findAgentCaller(hashSecret(token));
  if (caller?.actor.type !== "agent") throw unknownToken();
  if (agentId !== undefined && canonicalId(caller.actor.id) !== canonicalId(agentId)) throw notFound("agent");
  await limit("agent", `${caller.actor.id} ${networkOf(originOf(request).ip)}`);
  return { ...caller, viaCookie: false };
}

async function byAccessToken(token: string, viaCookie: boolean, at?: Date): Promise<Caller | null> {
  const claims = await verifyAccessToken(token, at);
  return claims && findUserCaller(claims.sub, { sid: claims.sid, viaCookie });
}

/** If a credential in a header is bad, the cookie is not used instead. */
async function authenticateUser(request: Request, { records = false, at }: Options): Promise<Authenticated> {
  const text = bearer(request.headers) ?? request.headers.get("x-api-key");
  if (text === null) {
    const cookie = sessionToken(request.headers, isHttps());
    const caller = cookie ? await byAccessToken(cookie, true, at) : null;
    if (!caller) throw new AppError("unauthenticated");
    return { ...caller, viaCookie: true };
  }
  const isKey = text.startsWith(SECRET_PREFIXES.apiKey);
  const viaKeyHeader = request.headers.get("authorization") === null;
  const usable = isKey ? looksLike("apiKey", text) : !viaKeyHeader;
  const caller = usable
    ? await (isKey
        ? findApiKeyCaller(hashSecret(text), { ip: originOf(request).ip, records })
        : byAccessToken(text, false, at))
    : null;
  if (!caller) throw new AppError("unauthenticated", "The credential is unknown, expired or revoked.");
  return { ...caller, viaCookie: false };
}

/**
 * Identifies the sender of a request. The reach is read every time, so a removal takes effect at once.
 * @throws AppError unauthenticated without a valid credential of the right kind; not_found for an agent's token under
 * another agent's id.
 */
export function authenticate(request: Request, options: Options): Promise<Authenticated> {
  const { auth, agentId } = options;
  if (auth === "none") return Promise.resolve({ ...ANONYMOUS, viaCookie: false });
  return auth === "agent" ? authenticateAgent(request, agentId) : authenticateUser(request, options);
}
