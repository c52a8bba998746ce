import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { derivedKey } from "@/server/ground/derived-key";
import { env } from "@/server/ground/env";
import { log } from "@/server/ground/log";
import { SECRET_PREFIXES } from "@/server/ground/secrets";
import { capitalized } from "@/server/ground/text";
import { email as emailSchema } from "@/server/identity/auth/schema";
import { foundPartner, isSetupNeeded } from "./found-partner";

const TOKEN_BYTES = 30;

/**
 * The token of the page /setup, which opens an empty database once. Every process of an installation shows and takes the
 * same one, for behind a proxy the page's requests reach any of them; another database has another.
 */
export async function setupToken(): Promise<string> {
  const [row] = await asSystem((tx) =>
    rowsOf<{ identity: string }>(
      tx,
      sql`SELECT format('%s %s', d.oid, 'partners'::regclass::oid) AS identity
        FROM pg_database d WHERE d.datname = current_database()`,
    ),
  );
  const mac = createHmac("sha256", derivedKey("setup token"))
    .update(row?.identity ?? "")
    .digest();
  return SECRET_PREFIXES.setup + mac.subarray(0, TOKEN_BYTES).toString("base64url");
}

/** "jane.doe@…" as "Jane Doe", until it is changed. */
const nameOf = (email: string) =>
  (email.split("@")[0] ?? "")
    .split(/[._-]+/)
    .filter(Boolean)
    .map(capitalized)
    .join(" ") || "Administrator";

/**
 * At the start with an empty database: creates the partner and its administrator from TRAILMARK_ADMIN_EMAIL and
 * TRAILMARK_ADMIN_PASSWORD, or a one-time token for the page /setup.
 * @returns a line for the console, or null when nothing is left to do.
 */
export async function ensureFirstAdmin(): Promise<string | null> {
  if (!(await isSetupNeeded())) return null;
  const { TRAILMARK_ADMIN_EMAIL, TRAILMARK_ADMIN_PASSWORD, NEXTAUTH_URL } = env();
  if (TRAILMARK_ADMIN_EMAIL && TRAILMARK_ADMIN_PASSWORD) {
    const email = emailSchema.parse(TRAILMARK_ADMIN_EMAIL);
    await foundPartner({ email, password: TRAILMARK_ADMIN_PASSWORD, name: nameOf(email), organizationName: "Home" });
    log.info({ email }, "first partner and administrator created from the environment");
    return null;
  }
  const page = new URL("/setup", NEXTAUTH_URL).href;
  return `First run: open ${page} and enter the one-time token ${await setupToken()}`;
}
