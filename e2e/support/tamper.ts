import { withDatabase } from "./database";

/**
 * What somebody could do who owns the database and puts the triggers out of the way: alters the second entry of a chain.
 * Any verification finds it; one that finds nothing would take an alarm back.
 * @param result of the entry from now on; "success" is what it was
 */
export const tamper = (orgId: string, result: "denied" | "success" = "denied") =>
  withDatabase((sql) =>
    sql.begin(async (tx) => {
      await tx`SET LOCAL session_replication_role = replica`;
      await tx`UPDATE audit_logs SET result = ${result} WHERE org_id = ${orgId}::uuid AND chain_seq = 2`;
    }),
  );
