import type postgres from "postgres";
import { lookUp, lookUpAll, lookUpNoting } from "@/db/lookup";
import type { Caller, Scope } from "@/server/ground/context";
import { type Permission, ROLE_PERMISSIONS, type Role } from "@/server/ground/permissions";
import { mapValues } from "@/server/ground/records";
import { sameHash } from "@/server/ground/secrets";
import { batchLoader } from "./batch-loader";
import type { UserCaller } from "./person";
import { orRemembered } from "./recording-keys";

const PERMISSIONS_OF: Record<Role, ReadonlySet<Permission>> = mapValues(
  ROLE_PERMISSIONS,
  (permissions) => new Set(permissions),
);

type UserRow = {
  id: string;
  email: string;
  name: string;
  role: Role;
  partnerId: string | null;
  orgId: string | null;
  homeOrgId: string | null;
  orgIds: string[] | null;
  via: "api" | "browser" | null;
  provenAt: Date | null;
  mustEnroll: boolean;
};
type SignInOf = { sid: string; viaCookie: boolean };

function userScope(row: UserRow): Scope | null {
  if (row.role === "system_admin") return { kind: "system" };
  return row.partnerId ? scopeOf({ ...row, partnerId: row.partnerId }) : null;
}

/** One organization, or those of a partner. */
const scopeOf = ({ orgId, orgIds, partnerId }: Pick<KeyRow, "orgId" | "orgIds" | "partnerId">): Scope =>
  orgId ? { kind: "organization", orgIds: [orgId], partnerId } : { kind: "partner", orgIds: orgIds ?? [], partnerId };

function toCaller(row: UserRow | undefined, signIn: SignInOf | undefined): UserCaller | null {
  const scope = row && userScope(row);
  if (!row || !scope) return null;
  const session = signIn && {
    id: signIn.sid,
    // A cookie holds an access token, so a stolen one sent in a header still counts as a browser session.
    viaBrowser: signIn.viaCookie || row.via === "browser",
    provenAt: new Date(row.provenAt ?? 0),
  };
  return {
    actor: { type: "user", id: row.id, email: row.email, name: row.name, role: row.role },
    scope,
    permissions: PERMISSIONS_OF[row.role] ?? new Set(),
    homeOrgId: row.orgId ?? row.homeOrgId,
    ...(session && { session }),
    ...(row.mustEnroll && { mustEnroll: true }),
  };
}

/**
 * A person by id; null if unknown, disabled, or the sign-in (sid) of the token was ended. Records the use of the
 * sign-in, to the minute. Without sid no sign-in is checked, because the caller has just proved the password.
 */
export async function findUserCaller(userId: string, signIn?: SignInOf): Promise<UserCaller | null> {
  const sid = signIn?.sid ?? null;
  return toCaller(
    await lookUpNoting<UserRow>(
      (sql) => sql`
        SELECT u.id, u.email, u.name, u.role, u.partner_id AS "partnerId", u.org_id AS "orgId",
          (SELECT o.id FROM organizations o WHERE o.partner_id = u.partner_id AND o.is_home) AS "homeOrgId",
          CASE
            WHEN u.org_id IS NOT NULL THEN NULL
            WHEN u.all_organizations THEN ARRAY(SELECT o.id FROM organizations o WHERE o.partner_id = u.partner_id)
            ELSE ARRAY(SELECT o.id FROM user_organizations m JOIN organizations o ON o.id = m.org_id
                       WHERE m.user_id = u.id AND o.partner_id = u.partner_id)
          END AS "orgIds",
          s.via, s.proven_at AS "provenAt",
          (u.require_two_factor OR EXISTS (SELECT FROM partners p WHERE p.id = u.partner_id AND p.require_two_factor) OR EXISTS (
            SELECT FROM organizations o
            WHERE o.require_two_factor AND (o.id = u.org_id OR (u.org_id IS NULL AND o.partner_id = u.partner_id AND o.is_home))
          ))
          AND NOT EXISTS (SELECT FROM user_totp f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL)
          AND NOT EXISTS (SELECT FROM user_passkeys f WHERE f.user_id = u.id) AS "mustEnroll"
        FROM users u LEFT JOIN user_sessions s ON s.id = ${sid}::uuid AND s.user_id = u.id
        WHERE u.id = ${userId} AND u.disabled_at IS NULL
          AND (${sid}::uuid IS NULL OR EXISTS (
            SELECT FROM refresh_tokens t
            WHERE t.family_id = ${sid}::uuid AND t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > now()))`,
      (sql) => sql`
        UPDATE user_sessions SET last_seen_at = now()
        WHERE id = ${sid}::uuid AND user_id = ${userId} AND last_seen_at < now() - interval '1 minute'`,
    ),
    signIn,
  );
}

type KeyRow = {
  id: string;
  name: string;
  permissions: Permission[];
  partnerId: string;
  orgId: string | null;
  homeOrgId: string | null;
  orgIds: string[] | null;
};

const keyColumns = (sql: postgres.ISql) => sql`
  k.id, k.name, k.permissions, k.partner_id AS "partnerId", k.org_id AS "orgId",
  (SELECT o.id FROM organizations o WHERE o.partner_id = k.partner_id AND o.is_home) AS "homeOrgId",
  CASE WHEN k.org_id IS NULL THEN ARRAY(SELECT o.id FROM organizations o WHERE o.partner_id = k.partner_id) END AS "orgIds"`;

/** Address from which a key is used, and whether only to submit events. */
type KeyUse = { ip: string | null; records: boolean };

/**
 * A program by the hash of its key; null if unknown, revoked or expired. Records the use and its address, to the
 * minute.
 */
export const findApiKeyCaller = (keyHash: string, { ip, records }: KeyUse): Promise<Caller | null> =>
  records ? orRemembered(keyHash, lookUpApiKey(keyHash, ip)) : lookUpApiKey(keyHash, ip);

async function lookUpApiKey(keyHash: string, ip: string | null): Promise<Caller | null> {
  const row = await lookUpNoting<KeyRow & { keyHash: string }>(
    (sql) => sql`
      SELECT CASE WHEN k.key_hash = ${keyHash} THEN k.key_hash ELSE k.former_hash END AS "keyHash", ${keyColumns(sql)}
      FROM api_keys k
      WHERE (k.key_hash = ${keyHash} OR (k.former_hash = ${keyHash} AND k.former_until > now()))
        AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
    (sql) => sql`
      UPDATE api_keys SET last_used_at = now(), last_used_ip = ${ip}
      WHERE (key_hash = ${keyHash} OR (former_hash = ${keyHash} AND former_until > now())) AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > now())
        AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
  );
  return row && sameHash(row.keyHash, keyHash) ? keyCaller(row) : null;
}

/** A program by the id of its key, for its background work; null if unknown, revoked or expired. */
export async function findKeyCaller(id: string): Promise<Caller | null> {
  const row = await lookUp<KeyRow>(
    (sql) => sql`
      SELECT ${keyColumns(sql)} FROM api_keys k
      WHERE k.id = ${id} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
  );
  return row ? keyCaller(row) : null;
}

function keyCaller(row: KeyRow): Caller {
  return {
    actor: { type: "api_key", id: row.id, name: row.name },
    scope: scopeOf(row),
    permissions: new Set(row.permissions),
    homeOrgId: row.orgId ?? row.homeOrgId,
  };
}

type AgentRow = { id: string; deviceId: string; orgId: string; partnerId: string; hostname: string; tokenHash: string };

/** Agents are many: concurrent look-ups share one query. */
const findAgent = batchLoader<AgentRow>(async (hashes) => {
  const rows = await lookUpAll<AgentRow>(
    (sql) => sql`
      SELECT a.id, a.device_id AS "deviceId", a.org_id AS "orgId", o.partner_id AS "partnerId", d.hostname, a.token_hash AS "tokenHash"
      FROM agents a JOIN devices d ON d.id = a.device_id JOIN organizations o ON o.id = a.org_id
      WHERE a.token_hash = ANY (${hashes}) AND a.revoked_at IS NULL`,
  );
  return new Map(rows.map((row) => [row.tokenHash, row]));
});

/** An agent by the hash of its token; null if unknown or revoked. */
export async function findAgentCaller(tokenHash: string): Promise<Caller | null> {
  const row = await findAgent(tokenHash);
  if (!row || !sameHash(row.tokenHash, tokenHash)) return null;
  return {
    actor: { type: "agent", id: row.id, deviceId: row.deviceId, hostname: row.hostname },
    scope: { kind: "organization", orgIds: [row.orgId], partnerId: row.partnerId },
    permissions: new Set(),
    homeOrgId: row.orgId,
  };
}
