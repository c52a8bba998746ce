import { and, eq, inArray, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem } from "@/db/client";
import { organizations } from "@/db/schema";
import { homeOrgOf } from "@/server/ground/partner";
import type { ExportRow } from "./export-job";

/** In which organizations' logs, and whether those who read them may know what was searched for. */
export type RecordedWith = { orgIds: readonly string[]; hasFilters: boolean };

/**
 * Where an export of which no entry left is recorded: with its organization; of several, with the one of those who asked
 * for it, since the first must not read what the others were asked about. The platform's operator has none: then with the
 * staff of each partner that it was of, without the filters, which may name another's people.
 */
export async function recordedWith({ orgIds, orgId, partnerId }: ExportRow): Promise<RecordedWith> {
  if (orgIds.length === 1) return { orgIds, hasFilters: true };
  if (orgId === null && partnerId === null) return { orgIds: await staffOf(orgIds), hasFilters: false };
  const home = orgId ?? (await homeOrgOf(partnerId));
  return { orgIds: home ? [home] : [], hasFilters: true };
}

/** The organizations of the staff of those partners that the organizations belong to. */
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
