import type postgres from "postgres";

/** One audit row before the chain has it: ids are UUIDs, details a JSON object, timestamp the moment of the act. */
export type AuditInsert = {
  id: string;
  orgId: string;
  timestamp: Date | string;
  actorType: "user" | "api_key" | "agent" | "system" | "ai_agent";
  actorId: string;
  actorEmail: string | null;
  action: string;
  resourceType: string;
  resourceId: string | null;
  resourceName: string | null;
  details: Record<string, unknown> | null;
  ipAddress: string | null;
  userAgent: string | null;
  result: "success" | "failure" | "denied";
  errorMessage: string | null;
};

/** Rows of one call; more gain nothing and hold the chains longer. */
export const MAX_APPEND_ROWS = 500;

const RETRIED = new Set(["40001", "40P01"]);
const MAX_ATTEMPTS = 5;

/** NUL and lone surrogates, which PostgreSQL cannot store, as U+FFFD: no log line is lost over one character. */
const storable = (text: string | null) => (text === null ? null : text.replace(/[\0\p{Surrogate}]/gu, "\ufffd"));

/** The same inside JSON text, where JSON.stringify writes them as escapes. */
function storableJson(value: Record<string, unknown> | null): string | null {
  if (value === null) return null;
  return JSON.stringify(value).replace(/\\(?:u(0000|d[89a-f][0-9a-f]{2})|.)/g, (escape, bad) => (bad ? "\ufffd" : escape));
}

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
      if (attempt === MAX_ATTEMPTS || !RETRIED.has((error as { code?: string }).code ?? "")) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * 20 * Math.random()));
    }
  }
}

async function append(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<number> {
  const column = <T>(pick: (row: AuditInsert) => T) => rows.map(pick);
  const [answer] = await sql<{ inserted: number }[]>`SELECT audit_append(
    ${column((r) => r.id)}::uuid[], ${column((r) => r.orgId)}::uuid[],
    ${column((r) => (r.timestamp instanceof Date ? r.timestamp.toISOString() : r.timestamp))}::text[]::timestamptz[],
    ${column((r) => r.actorType)}::text[], ${column((r) => r.actorId)}::uuid[], ${column((r) => storable(r.actorEmail))}::text[],
    ${column((r) => storable(r.action))}::text[], ${column((r) => storable(r.resourceType))}::text[], ${column((r) => r.resourceId)}::uuid[],
    ${column((r) => storable(r.resourceName))}::text[], ${column((r) => storableJson(r.details))}::text[],
    ${column((r) => storable(r.ipAddress))}::text[], ${column((r) => storable(r.userAgent))}::text[], ${column((r) => r.result)}::text[],
    ${column((r) => storable(r.errorMessage))}::text[]) AS inserted`;
  return answer?.inserted ?? 0;
}
