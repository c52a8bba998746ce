import type { Tx } from "@/db/client";
import type { Ctx } from "@/server/context";
import type { AuditFilter } from "./conditions";
import { type IndexProbe, probeOf } from "./index-probe";
import { reachedBy } from "./rows";

/** A filter with the organizations that it is asked of, and how the index narrows it (null: by time alone). */
export type ResolvedFilter = { orgIds: readonly string[]; filter: AuditFilter; probe: IndexProbe | null };

/** Resolves a filter for a caller: the step before its rows are read, counted or exported. */
export async function resolveFilter(tx: Tx, { scope }: Ctx, filter: AuditFilter): Promise<ResolvedFilter> {
  const orgIds = await reachedBy(tx, scope);
  return { orgIds, filter, probe: await probeOf(tx, orgIds, filter) };
}
