import { email as emailSchema } from "@/server/auth/schema";
import { newSecret } from "@/server/auth/secrets";
import { env } from "@/server/env";
import { log } from "@/server/log";
import { capitalized } from "@/server/text";
import { foundPartner, isSetupNeeded } from "./found-partner";

/** Hash of the one-time token that this process has printed; gone once it was used. */
export const setupToken: { hash: string | null } = { hash: null };

/** "jane.doe@…" as "Jane Doe", until somebody gives a better name. */
const nameOf = (email: string) =>
  (email.split("@")[0] ?? "")
    .split(/[._-]+/)
    .filter(Boolean)
    .map(capitalized)
    .join(" ") || "Administrator";

/**
 * At the start with an empty database: makes the partner and its administrator from TRAILMARK_ADMIN_EMAIL and
 * TRAILMARK_ADMIN_PASSWORD, or a one-time token for the page /setup.
 * @returns a line for the console, or null when nothing is left to do.
 */
export async function ensureFirstAdmin(): Promise<string | null> {
  if (!(await isSetupNeeded())) return null;
  const { TRAILMARK_ADMIN_EMAIL, TRAILMARK_ADMIN_PASSWORD, NEXTAUTH_URL } = env();
  if (TRAILMARK_ADMIN_EMAIL && TRAILMARK_ADMIN_PASSWORD) {
    const email = emailSchema.parse(TRAILMARK_ADMIN_EMAIL);
    await foundPartner({ email, password: TRAILMARK_ADMIN_PASSWORD, name: nameOf(email), organizationName: "Home" });
    log.info({ email }, "first partner and administrator made from the environment");
    return null;
  }
  const { secret, hash } = newSecret("setup");
  setupToken.hash = hash;
  return `First run: open ${new URL("/setup", NEXTAUTH_URL).href} and enter the one-time token ${secret}`;
}
