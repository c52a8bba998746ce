import { count, desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { paginate } from "@/db/page";
import { customFieldImports } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { DAY_MS } from "@/server/ground/time/durations";
import { typed } from "@/server/ground/wire";
import { listed } from "./record/record";
import { ownImports, partnerScope } from "./record/scope";
import { DRAFT_DAYS, type ImportEntry, type ImportPage, importListInput } from "./schema";

/** The imports within the caller's reach, newest first, without their columns and mappings, which are large. */
export const listImports = operation({
  permission: "custom_fields:import",
  input: importListInput,
  output: typed<ImportPage>(),
  async run(ctx, { page, limit }) {
    const scope = partnerScope(ctx);
    const i = customFieldImports;
    const { id, source, status, createdByName, createdAt, totalRows, files, updatedAt, startedAt, job } = i;
    const columns = { id, source, status, createdByName, createdAt, totalRows, files, updatedAt, startedAt, job };
    return tenant(scope, async (tx) => {
      const where = ownImports(scope);
      const rows = await tx
        .select(columns)
        .from(i)
        .where(where)
        .orderBy(desc(i.createdAt), desc(i.id))
        .limit(limit)
        .offset((page - 1) * limit);
      const [counted] = await tx.select({ total: count() }).from(i).where(where);
      const data = listed(rows).map(({ files, updatedAt, startedAt, job, ...row }): ImportEntry => {
        const isDraft = startedAt === null && job === null;
        const expiresAt = isDraft ? new Date(updatedAt.getTime() + DRAFT_DAYS * DAY_MS).toISOString() : null;
        return { ...row, createdAt: row.createdAt.toISOString(), fileNames: files.map(({ name }) => name), expiresAt };
      });
      return { data, pagination: paginate({ page, limit }, counted?.total ?? 0) };
    });
  },
});
