import { and, eq, inArray, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem } from "@/db/client";
import { organizations } from "@/db/schema";
import { homeOrgOf } from "@/server/ground/partner";
import type { ExportRow } from "./export-job";

/** Organizations that record an export, and whether their readers may see the filters. */
export type RecordedWith = { orgIds: readonly string[]; hasFilters: boolean };

/**
 * Where to record an export without entries: in its organization; for several, in the requester's own, because each
 * must not learn about the others. The platform's operator has none: then with the staff of each partner, without
 * filters, which may name people of another.
 */
export async function recordedWith({ orgIds, orgId, partnerId }: ExportRow): Promise<RecordedWith> {
  if (orgIds.length === 1) return { orgIds, hasFilters: true };
  if (orgId === null && partnerId === null) return { orgIds: await staffOf(orgIds), hasFilters: false };
  const home = orgId ?? (await homeOrgOf(partnerId));
  return { orgIds: home ? [home] : [], hasFilters: true };
}

/** Home organizations of the partners of some organizations. */
async function staffOf(orgIds: readonly string[]): Promise<string[]> {
  const { id, partnerId, isHome } = organizations;
  const rows = await asSystem((tx) => {
    const partners = tx
      .select({ partnerId })
      .from(organizations)
      .where(sql`${id} = ANY (${uuids(orgIds)})`);
    return tx
      .select({ id })
      .from(organizations)
      .where(and(eq(isHome, true), inArray(partnerId, partners)));
  });
  return rows.map((row) => row.id);
}
