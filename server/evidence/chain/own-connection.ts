import type postgres from "postgres";
import type { Tenant } from "@/db/client";
import { connectApp, directUrl } from "@/db/connect";
import { survivable } from "@/db/survive";
import { type CopyOptions, drain } from "./drain";

/**
 * Long reads of whole chains: their own connection (a pool must not be held for minutes), one repeatable-read
 * snapshot, so that rows and head belong together however much is written meanwhile.
 */

const STATEMENT_TIMEOUT = "30min";
/** The reading that keeps the snapshot says nothing while threads read in it, for minutes where a chain is long. */
const IDLE_TIMEOUT = "30min";

export type ChainReader = {
  sql: postgres.TransactionSql;
  /** Pipes a COPY … TO STDOUT into a reader; resolves at its end. `ready` lets a slow consumer make it wait. */
  copy: (query: string, push: (chunk: Buffer) => void, options?: CopyOptions) => Promise<void>;
};

/**
 * Runs fn in one snapshot of a tenant's rows on a separate connection.
 * @param snapshot that of another reading, which must still be open; by default a new one
 */
export async function readOnOwnConnection<T>(
  tenant: Tenant,
  fn: (reader: ChainReader) => Promise<T>,
  snapshot?: string,
): Promise<T> {
  const sql = survivable(connectApp({ name: "trailmark chain", max: 1, max_lifetime: null, url: directUrl() }));
  try {
    return (await sql.begin("isolation level repeatable read read only", async (tx) => {
      const orgIds = tenant.kind === "system" ? "{}" : `{${tenant.orgIds.join(",")}}`;
      // Each a separate message, which on a distributed database goes to the other nodes too. None waits for the answer
      // to the one before: the transaction is not idle in between.
      await Promise.all(
        [
          // Before anything that looks at a row.
          snapshot && `SET TRANSACTION SNAPSHOT '${snapshot.replace(/[^0-9A-F-]/gi, "")}'`,
          `SET LOCAL idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`,
          `SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`,
          `SET LOCAL trailmark.scope = '${tenant.kind === "system" ? "system" : ""}'`,
          `SET LOCAL trailmark.org_ids = '${orgIds.replaceAll("'", "''")}'`,
        ]
          .filter((text) => text !== undefined)
          .map((text) => tx.unsafe(text)),
      );
      return fn({
        sql: tx,
        copy: async (query, push, options) => {
          try {
            await drain(await tx.unsafe(query).readable(), push, options);
          } catch (error) {
            // A COPY given up half-way leaves the connection in the middle of it: no ROLLBACK gets through.
            void sql.end({ timeout: 0 });
            throw error;
          }
        },
      });
    })) as T;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
