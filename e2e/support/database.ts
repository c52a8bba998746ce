import postgres from "postgres";
import { clusterOf } from "@/testing/server";

/** The database under the server, as its owner: for worlds too large to be made over the API, and for holding locks. */
export async function withDatabase<T>(
  fn: (sql: postgres.Sql) => Promise<T>,
  dataDir = process.env.TRAILMARK_E2E_DATA ?? "",
): Promise<T> {
  const { owner, port } = clusterOf(dataDir);
  const url = `postgres://trailmark_owner:${owner}@127.0.0.1:${port}/trailmark`;
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`SELECT set_config('trailmark.scope', 'system', false)`;
  try {
    return await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
