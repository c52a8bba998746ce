import type { Sql } from "postgres";

/** Changes a table as the database's owner, from whom row-level security hides its rows. */
export async function asOwner(sql: Sql, table: string, change: () => Promise<unknown>): Promise<void> {
  await sql`ALTER TABLE ${sql(table)} NO FORCE ROW LEVEL SECURITY`;
  await change();
  await sql`ALTER TABLE ${sql(table)} FORCE ROW LEVEL SECURITY`;
}

/**
 * Ends the day for which an archive collects entries, unless other streams have yet to send the first of them, whose
 * two forms would differ.
 * @param sql the database's owner
 * @returns the last sequence of the log
 */
export async function endArchiveDay(sql: Sql, { streamId, orgId }: { streamId: string; orgId: string }) {
  await asOwner(sql, "stream_positions", () =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`UPDATE audit_logs a SET sealed_at = a.sealed_at - interval '2 days' FROM stream_positions p
        WHERE p.stream_id = ${streamId}::uuid AND p.org_id = ${orgId}::uuid
          AND a.org_id = p.org_id AND a.chain_seq = p.through_seq + 1
          AND NOT EXISTS (SELECT FROM stream_positions o
            WHERE o.org_id = p.org_id AND o.stream_id <> p.stream_id AND o.through_seq <= p.through_seq)`;
      await tx`UPDATE stream_positions SET next_attempt_at = NULL WHERE stream_id = ${streamId}::uuid`;
    }),
  );
  const [head] = await sql<{ seq: number }[]>`
    SELECT max(chain_seq)::int AS seq FROM audit_logs WHERE org_id = ${orgId}::uuid`;
  return head?.seq ?? 0;
}
