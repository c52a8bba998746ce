import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { FieldRule } from "./coerce";

/**
 * Values have no foreign key to their definitions: they stand in one document a device. So a writer of values holds the
 * partner's definitions as they read them, and a caller that deletes or retypes one waits until they have written, and they for
 * it. Each takes the lock before it reads what it decides by.
 */
const keyOf = (partnerId: SQL): SQL => sql`hashtextextended('custom field definitions of ' || ${partnerId}::text, 0)`;

/** For writing values of a device's organization, until this transaction ends. */
export const holdDefinitionsOf = (tx: Tx, { orgId }: { orgId: string }): Promise<unknown> =>
  tx.execute(sql`
    SELECT pg_advisory_xact_lock_shared(${keyOf(sql`partner_id`)}) FROM organizations WHERE id = ${orgId}::uuid`);

/** For writing values in any organization of the partner, until this transaction ends. */
export const holdDefinitions = (tx: Tx, { partnerId }: { partnerId: string }): Promise<unknown> =>
  tx.execute(sql`SELECT pg_advisory_xact_lock_shared(${keyOf(sql`${partnerId}`)})`);

/** For deleting or retyping a definition of the partner, until this transaction ends. */
export const lockDefinitions = (tx: Tx, { partnerId }: { partnerId: string }): Promise<unknown> =>
  tx.execute(sql`SELECT pg_advisory_xact_lock(${keyOf(sql`${partnerId}`)})`);

/** What values of some definitions must be, by definition id; without those that do not exist. */
export async function rulesOf(tx: Tx, ids: Iterable<string>): Promise<ReadonlyMap<string, FieldRule>> {
  const rows = await rowsOf<FieldRule & { id: string }>(
    tx,
    sql`SELECT id, type, options FROM custom_field_definitions WHERE id = ANY(${uuids(ids)})`,
  );
  return new Map(rows.map(({ id, ...rule }) => [id, rule]));
}
