import { asc, count, desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { enrollmentKeys } from "@/db/schema";
import { paginate } from "@/server/devices/list";
import { operation } from "@/server/operation";
import { inScope } from "@/server/scope";
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
      const [rows, [counted]] = await Promise.all([
        tx
          .select()
          .from(enrollmentKeys)
          .where(where)
          .orderBy(desc(enrollmentKeys.createdAt), asc(enrollmentKeys.id))
          .limit(input.limit)
          .offset((input.page - 1) * input.limit),
        tx.select({ total: count() }).from(enrollmentKeys).where(where),
      ]);
      return { data: rows.map(toEnrollmentKey), pagination: paginate(input, counted?.total ?? 0) };
    });
  },
});
