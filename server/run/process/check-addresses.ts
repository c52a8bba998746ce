import { reach } from "@/db/reach";
import { env } from "@/server/ground/env";

const ITSELF = "name PostgreSQL itself there, because";

/**
 * Tries every address of the database that this process will use, once.
 * @throws MigrationError with a sentence that names the variable at fault
 */
export async function checkAddresses(): Promise<void> {
  const { DATABASE_URL, DATABASE_PREPARE, DATABASE_DIRECT_URL, AUDIT_ADMIN_DATABASE_URL } = env();
  const addresses = [
    {
      url: DATABASE_URL,
      role: "the application role (DATABASE_URL)",
      ...(DATABASE_PREPARE && {
        unlessPooled: "Set DATABASE_PREPARE=false, and DATABASE_DIRECT_URL to PostgreSQL itself.",
      }),
    },
    {
      url: DATABASE_DIRECT_URL,
      role: "the application role (DATABASE_DIRECT_URL)",
      unlessPooled: `It must not: ${ITSELF} notifications reach a session alone.`,
    },
    {
      url: AUDIT_ADMIN_DATABASE_URL,
      role: "the pruning role (AUDIT_ADMIN_DATABASE_URL)",
      unlessPooled: `It must not: ${ITSELF} a retention run holds a lock of its session.`,
    },
  ];
  for (const { url, ...address } of addresses) {
    if (!url) continue;
    const sql = await reach({ url, ...address });
    await sql.end({ timeout: 1 });
  }
}
