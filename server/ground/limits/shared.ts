import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { inTime } from "@/db/lookup";
import { rowsOf } from "@/db/rows";

/** How often something was tried in its window, and for how long that window still runs. */
export type Used = { points: number; ms: number };

/** Expired rows are removed in batches by the process that counts. */
const SWEPT_AT_A_TIME = 20;

/** No e-mail or address is in the table. */
const keyOf = (name: string, key: string): string => createHash("sha256").update(`${name}\0${key}`).digest("base64url");

/** Counts one attempt for all processes. @returns the attempts of the window that is running, this one included */
export async function countShared(name: string, key: string, seconds: number): Promise<Used> {
  const [used] = await asSystem(async (tx) => {
    await tx.execute(sql`DELETE FROM shared_limits WHERE key IN (
      SELECT key FROM shared_limits WHERE expires_at <= now() LIMIT ${SWEPT_AT_A_TIME} FOR UPDATE SKIP LOCKED)`);
    return rowsOf<Used>(
      tx,
      sql`INSERT INTO shared_limits AS s (key, points, expires_at)
        VALUES (${keyOf(name, key)}, 1, now() + make_interval(secs => ${seconds}))
        ON CONFLICT ON CONSTRAINT shared_limits_pkey DO UPDATE SET
          points = CASE WHEN s.expires_at <= now() THEN 1 ELSE s.points + 1 END,
          expires_at = CASE WHEN s.expires_at <= now() THEN excluded.expires_at ELSE s.expires_at END
        RETURNING points, (extract(epoch FROM expires_at - now()) * 1000)::float8 AS ms`,
    );
  });
  return used ?? { points: 1, ms: seconds * 1000 };
}

/** The attempts of the window that is running, by whichever process they were counted. */
export async function readShared(name: string, key: string): Promise<Used> {
  const read = asSystem((tx) =>
    rowsOf<Used>(
      tx,
      sql`SELECT points, (extract(epoch FROM expires_at - now()) * 1000)::float8 AS ms
        FROM shared_limits WHERE key = ${keyOf(name, key)} AND expires_at > now()`,
    ),
  );
  return (await inTime(read))[0] ?? { points: 0, ms: 0 };
}
