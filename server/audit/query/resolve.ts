import type { Tx } from "@/db/client";
import type { Ctx } from "@/server/context";
import { type AuditFilter, excludedOf, type RowFilter } from "./conditions";
import { type IndexProbe, probeOf } from "./index-probe";
import { reachedBy } from "./rows";
import { resolveWords } from "./words";

/** A filter with the organizations that it is asked of, and how the index narrows it (null: by time alone). */
export type ResolvedFilter = { orgIds: readonly string[]; filter: RowFilter; probe: IndexProbe | null };

/** A filter whose words are looked up among what some organizations have. */
export async function toRowFilter(
  tx: Tx,
  orgIds: readonly string[],
  { q, ...filter }: AuditFilter,
): Promise<RowFilter> {
  const words = await resolveWords(tx, orgIds, q ? [q] : []);
  const withoutWords = await resolveWords(tx, orgIds, excludedOf(filter, "q"));
  return { ...filter, ...(words.length > 0 && { words }), ...(withoutWords.length > 0 && { withoutWords }) };
}

/** Resolves a filter for a caller: the step before its rows are read, counted or exported. */
export async function resolveFilter(tx: Tx, { scope }: Ctx, filter: AuditFilter): Promise<ResolvedFilter> {
  const orgIds = await reachedBy(tx, scope);
  const resolved = await toRowFilter(tx, orgIds, filter);
  return { orgIds, filter: resolved, probe: await probeOf(tx, orgIds, resolved) };
}
