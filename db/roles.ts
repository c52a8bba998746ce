import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import postgres from "postgres";

const GROUPS = ["trailmark_app", "trailmark_audit_admin", "trailmark_sealer"] as const;
type Group = (typeof GROUPS)[number];

/** Settings that every statement relies on, regardless of defaults for other programs. */
export const EXPECTED: Record<string, string> = {
  DateStyle: "ISO, MDY",
  TimeZone: "UTC",
  bytea_output: "hex",
  default_transaction_isolation: "read committed",
  row_security: "on",
  search_path: "public",
};

type Settings = Record<string, string>;

/** Defaults of a role, unless its operator has set others. */
const SETTINGS: Record<Exclude<Group, "trailmark_sealer">, Settings> = {
  trailmark_app: { ...EXPECTED, statement_timeout: "30s", idle_in_transaction_session_timeout: "60s" },
  trailmark_audit_admin: { ...EXPECTED, statement_timeout: "10min", idle_in_transaction_session_timeout: "60s" },
};

export function loginOf(url: string): { name: string; password: string } {
  const { username, password } = new URL(url);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/**
 * The verifier that PostgreSQL stores for a password (RFC 5803), so that no server log shows the password. Non-ASCII
 * passwords would need SASLprep and are passed as is.
 */
function scramVerifier(password: string): string {
  if (!/^[\x20-\x7e]*$/.test(password)) return password;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, 4096, 32, "sha256");
  const hmac = (text: string) => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(hmac("Client Key")).digest("base64");
  return `SCRAM-SHA-256$4096:${salt.toString("base64")}$${stored}:${hmac("Server Key").toString("base64")}`;
}

/** Utility statements take no parameters; format() quotes names (%I) and literals (%L). */
async function run(sql: postgres.Sql, template: string, ...values: string[]): Promise<void> {
  const [row] = await sql<{ statement: string }[]>`SELECT format(${template}, VARIADIC ${values}::text[]) AS statement`;
  if (row) await sql.unsafe(row.statement);
}

/**
 * Tests a password at the owner's address, which leads to PostgreSQL itself: after a failed login a pooler refuses all
 * clients for a while.
 */
async function canLogIn(url: string, ownerUrl: string): Promise<boolean> {
  const { username, password } = new URL(url);
  const there = Object.assign(new URL(ownerUrl), { username, password });
  const probe = postgres(there.href, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await probe`SELECT 1`;
    return true;
  } catch {
    return false;
  } finally {
    await probe.end({ timeout: 1 });
  }
}

async function exists(sql: postgres.Sql, role: string): Promise<boolean> {
  return (await sql`SELECT FROM pg_roles WHERE rolname = ${role}`).length > 0;
}

/** An owner without CREATEROLE may not, which must not stop the process: doctor reports the effective settings. */
async function giveSetting(sql: postgres.Sql, to: { name: string; setting: string; value: string }): Promise<void> {
  try {
    await run(sql, "ALTER ROLE %I SET %I = %L", to.name, to.setting, to.value);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError && error.code === "42501")) throw error;
  }
}

type Role = { unsafe: boolean; canLogIn: boolean; member: boolean; owner: boolean; settings: string[] };

/** Lets an address's user log in as a member of a group, with the address's password. */
async function ensureLogin(
  sql: postgres.Sql,
  { url, group, ownerUrl, more }: { url: string; group: keyof typeof SETTINGS; ownerUrl: string; more: Settings },
): Promise<void> {
  const { name, password } = loginOf(url);
  if (!(await exists(sql, name))) await run(sql, "CREATE ROLE %I NOLOGIN", name);
  const [role] = await sql<Role[]>`
    SELECT rolsuper OR rolbypassrls AS unsafe, rolcanlogin AS "canLogIn", pg_has_role(oid, ${group}::text, 'USAGE') AS member,
      rolname = current_user AS owner,
      coalesce((SELECT setconfig FROM pg_db_role_setting WHERE setrole = r.oid AND setdatabase = 0), '{}') AS settings
    FROM pg_roles r WHERE rolname = ${name}`;
  if (!role || role.unsafe || role.owner)
    throw new Error(
      `"${name}" is a superuser, bypasses row level security or is the owner; ${group} must be none of them`,
    );
  if (!role.member) await run(sql, "GRANT %I TO %I", group, name);
  for (const [setting, value] of Object.entries({ ...SETTINGS[group], ...more }))
    if (!role.settings.some((s) => s.startsWith(`${setting}=`))) await giveSetting(sql, { name, setting, value });
  if (role.canLogIn && (await canLogIn(url, ownerUrl))) return;
  if (password) await run(sql, "ALTER ROLE %I LOGIN PASSWORD %L", name, scramVerifier(password));
  else await run(sql, "ALTER ROLE %I LOGIN", name);
}

type RoleAddresses = { ownerUrl: string; appUrl: string; adminUrl?: string | undefined };

/**
 * Creates the group roles and the logins in the addresses; changes only differences, so that an owner without
 * CREATEROLE suffices once all exists. `more` are settings beside those of every login.
 * @throws Error of PostgreSQL (42501) when the owner may not do what is missing.
 */
export async function ensureRoles(
  sql: postgres.Sql,
  { ownerUrl, appUrl, adminUrl }: RoleAddresses,
  more: Settings = {},
): Promise<void> {
  for (const group of GROUPS) if (!(await exists(sql, group))) await run(sql, "CREATE ROLE %I NOLOGIN", group);
  await ensureLogin(sql, { url: appUrl, group: "trailmark_app", ownerUrl, more });
  if (adminUrl) await ensureLogin(sql, { url: adminUrl, group: "trailmark_audit_admin", ownerUrl, more });
}
