import { desc } from "drizzle-orm";
import { tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { operation } from "@/server/operation";
import { noInput, typed } from "@/server/wire";
import { type ImportRecord, ownImports, partnerScope } from "./find-import";
import type { ImportEntry } from "./schema";

const LISTED = 50;
type Listed = Pick<ImportRecord, "id" | "source" | "status" | "createdByName" | "createdAt" | "totalRows" | "files">;

/** The newest imports within the caller's reach, without their columns and mappings, which are large. */
export const listImports = operation({
  permission: "custom_fields:import",
  input: noInput,
  output: typed<ImportEntry[]>(),
  async run(ctx) {
    const scope = partnerScope(ctx);
    const { id, source, status, createdByName, createdAt, totalRows, files } = customFieldImports;
    const listed = { id, source, status, createdByName, createdAt, totalRows, files };
    const rows = await tenant(scope, (tx) =>
      tx.select(listed).from(customFieldImports).where(ownImports(scope)).orderBy(desc(createdAt)).limit(LISTED),
    );
    return (rows as Listed[]).map(({ files, createdAt, ...row }) => ({
      ...row,
      createdAt: createdAt.toISOString(),
      fileNames: files.map((file) => file.name),
    }));
  },
});
