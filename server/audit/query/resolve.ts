import type { Tx } from "@/db/client";
import type { Ctx, Scope } from "@/server/ground/context";
import { toExclusion } from "./catalogue";
import { type AuditFilter, excludedOf, type RowFilter } from "./conditions";
import { type IndexProbe, probeOf } from "./index-probe";
import { reachedBy } from "./rows";
import { resolveWords, type Within } from "./words";

/** A filter with the organizations that it is asked of, and how the index narrows it (null: by time alone). */
export type ResolvedFilter = { orgIds: readonly string[]; filter: RowFilter; probe: IndexProbe | null };

/** Where names are looked up: row level security cuts everyone down but the platform's operator. */
const withinOf = (scope: Scope): Within =>
  scope.kind !== "system" && scope.partnerId === null ? scope.orgIds : undefined;

type Asked = { scope: Scope; orgIds: readonly string[]; filter: AuditFilter };

/** A filter whose words are looked up among what some organizations have, of those that a scope reaches. */
export async function toRowFilter(tx: Tx, { scope, orgIds, filter: { q, ...filter } }: Asked): Promise<RowFilter> {
  const within = withinOf(scope);
  const words = await resolveWords(tx, { orgIds, within }, q ? [q] : []);
  const withoutWords = await resolveWords(tx, { orgIds, within }, excludedOf(filter, "q"));
  return {
    ...filter,
    ...(within && { within }),
    ...(words.length > 0 && { words }),
    ...(withoutWords.length > 0 && { withoutWords }),
  };
}

/** An organization that is excluded is not asked at all: what is left is counted as if it had been chosen. */
function withoutExcluded(orgIds: readonly string[], { exclude = [], ...filter }: AuditFilter) {
  const excluded = excludedOf({ exclude }, "orgId").map((id) => id.toLowerCase());
  const left = exclude.filter((part) => toExclusion(part)?.name !== "orgId");
  return {
    orgIds: orgIds.filter((id) => !excluded.includes(id)),
    filter: { ...filter, ...(left.length > 0 && { exclude: left }) },
  };
}

/** Resolves a filter for a caller: the step before its rows are read, counted or exported. */
export async function resolveFilter(tx: Tx, { scope }: Ctx, input: AuditFilter): Promise<ResolvedFilter> {
  const { orgIds, filter } = withoutExcluded(await reachedBy(tx, scope), input);
  const resolved = await toRowFilter(tx, { scope, orgIds, filter });
  return { orgIds, filter: resolved, probe: await probeOf(tx, orgIds, resolved) };
}

/** A resolved filter whose probe is looked up again, for a part that is read later: what was indexed since may have tags that are new. */
export async function withNewProbe(tx: Tx, resolved: ResolvedFilter): Promise<ResolvedFilter> {
  return { ...resolved, probe: await probeOf(tx, resolved.orgIds, resolved.filter) };
}
