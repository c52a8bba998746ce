import type postgres from "postgres";
import type { ActorType, AuditResult } from "@/server/audit/vocabulary";

/**
 * One audit row before the chain has it, as text that PostgreSQL takes: UUIDs, an ISO timestamp, details as the text of
 * a JSON object, nothing with NUL or lone surrogates in it (row.ts makes such rows).
 */
export type AuditInsert = {
  id: string;
  orgId: string;
  timestamp: string;
  actorType: ActorType;
  actorId: string;
  actorEmail: string | null;
  action: string;
  resourceType: string;
  resourceId: string | null;
  resourceName: string | null;
  details: string | null;
  ipAddress: string | null;
  userAgent: string | null;
  result: AuditResult;
  errorMessage: string | null;
};

/** Rows of one call; more gain nothing and hold the chains longer. */
export const MAX_APPEND_ROWS = 500;

const MAX_ATTEMPTS = 5;
const RETRY_MS = 20;
/** Serialization failure and deadlock: the chain could not be had this time, nothing was written. */
const RETRIED = new Set(["40001", "40P01"]);
const isRetried = (error: unknown): boolean => RETRIED.has((error as { code?: string }).code ?? "");

/**
 * Writes and seals a batch through the database's audit_append, in a transaction of its own; a serialization failure or
 * deadlock is tried again.
 * @param sql the application role's pool; never a connection inside a transaction
 * @param rows at most MAX_APPEND_ROWS, of any organizations, in the order in which they are to be chained
 * @returns how many rows were new; a known (orgId, id) is skipped
 * @throws PostgresError 23505 when an id belongs to another organization, 22001, 22P02 or 23514 for a value its column refuses
 */
export async function appendAudit(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<number> {
  if (rows.length === 0) return 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await append(sql, rows);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRetried(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * RETRY_MS * Math.random()));
    }
  }
}

/** One array a column: the statement is the same for every batch, so it is prepared once a connection. */
async function append(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<number> {
  const column = (name: keyof AuditInsert) => rows.map((row) => row[name]);
  const [answer] = await sql<{ inserted: number }[]>`SELECT audit_append(
    ${column("id")}::uuid[], ${column("orgId")}::uuid[], ${column("timestamp")}::text[]::timestamptz[],
    ${column("actorType")}::text[], ${column("actorId")}::uuid[], ${column("actorEmail")}::text[],
    ${column("action")}::text[], ${column("resourceType")}::text[], ${column("resourceId")}::uuid[],
    ${column("resourceName")}::text[], ${column("details")}::text[], ${column("ipAddress")}::text[],
    ${column("userAgent")}::text[], ${column("result")}::text[], ${column("errorMessage")}::text[]) AS inserted`;
  return answer?.inserted ?? 0;
}
