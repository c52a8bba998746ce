import type postgres from "postgres";
import { connectApp } from "@/db/connect";
import { codeOf } from "@/db/thrown";
import { type AuditInsert, COLUMNS, FIELDS } from "@/server/audit/row";
import { env } from "@/server/ground/env";
import { groupBy } from "@/server/ground/records";

const MAX_ATTEMPTS = 5;
const RETRY_MS = 20;
/** Serialization failure and deadlock: the chain was locked this time, nothing was written. */
const RETRIED = new Set(["40001", "40P01"]);

/**
 * Writes and seals a batch through the database's audit_append, in its own transaction; a serialization failure or
 * deadlock is retried.
 * @param sql the application role's pool; never a connection inside a transaction
 * @param rows of any organizations, in the order in which they are to be chained
 * @returns how many rows were new; a known (orgId, id) is skipped
 * @throws PostgresError 23505 when an id belongs to another organization, 22001, 22P02 or 23514 for a value its column refuses
 */
export async function appendAudit(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<number> {
  if (rows.length === 0) return 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await append(sql, rows);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !RETRIED.has(codeOf(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, attempt * RETRY_MS * Math.random()));
    }
  }
}

const asArray = ({ type }: { type: string }, i: number): string =>
  type === "timestamptz" ? `$${i + 1}::text[]::timestamptz[]` : `$${i + 1}::${type === "jsonb" ? "text" : type}[]`;

/** One array per column, so the statement is the same for every batch and is prepared once per connection. */
const APPEND = `SELECT audit_append(${Object.values(COLUMNS).map(asArray).join(", ")}) AS inserted`;

async function append(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<number> {
  if (env().TRAILMARK_CITUS) return appendEach(sql, rows);
  const arrays = FIELDS.map((field) => rows.map((row) => row[field]));
  const [answer] = await sql.unsafe<{ inserted: number }[]>(APPEND, arrays, { prepare: true });
  return answer?.inserted ?? 0;
}

const OWN_FIELDS = FIELDS.filter((field) => field !== "orgId");
const OWN_ARRAYS = OWN_FIELDS.map((field, i) => asArray(COLUMNS[field], i + 1)).join(", ");
/** Planned with its values each time: they decide which node the call goes to. */
const APPEND_ORG = `SELECT audit_append_org($1::uuid, ${OWN_ARRAYS}) AS inserted`;

/**
 * Where the tables are distributed: a transaction for each organization, on the node that holds it. When some fail, the
 * others are stored; written again, these are known and skipped.
 */
async function appendEach(sql: postgres.Sql, rows: readonly AuditInsert[]): Promise<number> {
  const answers = await Promise.allSettled(
    [...groupBy(rows, ({ orgId }) => orgId)].map(([orgId, own]) =>
      sql.unsafe<{ inserted: number }[]>(APPEND_ORG, [orgId, ...OWN_FIELDS.map((f) => own.map((row) => row[f]))]),
    ),
  );
  let inserted = 0;
  for (const answer of answers) {
    if (answer.status === "rejected") throw answer.reason;
    inserted += answer.value[0]?.inserted ?? 0;
  }
  return inserted;
}

/** The batch writer's way to a database. */
export type WriterConnection = {
  /** How many batches may be on their way at once. */
  batches: () => number;
  append: (rows: AuditInsert[]) => Promise<unknown>;
  /** Makes the next append use a new connection. */
  reset: () => void;
  close: () => Promise<void>;
};

/** Where the tables are distributed, the organizations of a batch are written beside each other, */
const CITUS_CONNECTIONS = 8;
/** and a second batch would overtake the first one. */
const CITUS_BATCHES = 1;
/** The second one is sent while the database works on the first. */
const BATCHES = 2;

/** A connection for the batch writer alone, so that no request ever comes between two batches. */
export function writerConnection(url = () => env().DATABASE_URL): WriterConnection {
  let sql: postgres.Sql | null = null;
  const open = () =>
    // The batch writer backs off itself.
    connectApp({
      name: "trailmark-audit",
      url: url(),
      max: env().TRAILMARK_CITUS ? CITUS_CONNECTIONS : 1,
      keep_alive: 10,
      backoff: () => 0,
    });
  const drop = async (timeout: number) => {
    const old = sql;
    sql = null;
    await old?.end({ timeout }).catch(() => {});
  };
  return {
    batches: () => (env().TRAILMARK_CITUS ? CITUS_BATCHES : BATCHES),
    append: (rows) => {
      sql ??= open();
      return appendAudit(sql, rows);
    },
    reset: () => void drop(0),
    close: () => drop(1),
  };
}
