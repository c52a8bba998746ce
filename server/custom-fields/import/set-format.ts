import { eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { inFairShare } from "@/server/ground/limits/fair-share";
import { operation } from "@/server/ground/operation";
import { typed } from "@/server/ground/wire";
import { toImportState } from "./import-state";
import { readPreview } from "./reader/read-preview";
import { findImport, lockImport } from "./record/find";
import { type StoredFile, toRecord, unread } from "./record/record";
import { completeFile, requireIdle } from "./record/require";
import { formatInput, type ImportState } from "./schema";

const OPEN = ["draft", "staged", "checked"] as const;

/**
 * Sets how a file is to be read, where that differs from what is detected; what was read before no longer counts.
 * @throws AppError not_found, conflict, rate_limited, validation_failed for a file that cannot be read at all.
 */
export const setFormat = operation({
  permission: "custom_fields:import",
  input: formatInput,
  output: typed<ImportState>(),
  waits: true,
  async run(ctx, { id, fileNo, format }) {
    const share = <T>(work: () => Promise<T>) => inFairShare(ctx, work);
    const before = await share(() => tenant(ctx.scope, (tx) => findImport(tx, ctx, id)));
    requireIdle(before, ...OPEN);
    const file = completeFile(before, fileNo);
    const { path, format: given } = file;
    const kept = given ?? (await readPreview(ctx, { source: before.source, path, format: null })).format;
    const store = async (tx: Tx) => {
      const found = await lockImport(tx, ctx, id);
      requireIdle(found, ...OPEN);
      const headerChoice = format.headerRow === undefined ? {} : { isHeaderSaid: true };
      const next = { ...kept, ...format, ...headerChoice };
      // What came up while it was read in another way no longer counts.
      const changed = ({ notes: _, ...file }: StoredFile): StoredFile => ({ ...file, format: next, records: null });
      const files = found.files.map((file, i) => (i === fileNo ? changed(file) : file));
      const [row] = await tx
        .update(customFieldImports)
        .set({ ...unread, files, updatedAt: ctx.now() })
        .where(eq(customFieldImports.id, id))
        .returning();
      return toImportState(toRecord(row));
    };
    return share(() => tenant(ctx.scope, store));
  },
});
