import { asc, desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { enrollmentKeys } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { enrollmentKeyPage, listInput } from "./schema";
import { toEnrollmentKey } from "./to-enrollment-key";

/** The enrollment keys of the caller's organizations, newest first, revoked ones included. */
export const listEnrollmentKeys = operation({
  permission: "agents:enroll",
  input: listInput,
  output: enrollmentKeyPage,
  run(ctx, input) {
    const where = inScope(enrollmentKeys.orgId, ctx.scope);
    return tenant(ctx.scope, async (tx) => {
      const query = tx
        .select()
        .from(enrollmentKeys)
        .orderBy(desc(enrollmentKeys.createdAt), asc(enrollmentKeys.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: enrollmentKeys, query, where });
      return { data: rows.map(toEnrollmentKey), pagination };
    });
  },
});
