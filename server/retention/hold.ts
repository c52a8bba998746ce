import { and, eq, isNull, ne, or, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { dataStreams, organizations, streamPositions } from "@/db/schema/index";
import { ZERO_UUID } from "@/server/ground/context";

/**
 * A stream that retention waits for, and the sequence through which it has the entries. days: maximum wait; null:
 * unlimited.
 */
export type Hold = { through: number; days: number | null };

const isArchive = sql`${dataStreams.config} @> '{"archive": true}'::jsonb`;

/** Active streams with an organization's entries that retention waits for. */
const holding = (orgId: string) =>
  and(
    eq(organizations.id, orgId),
    or(
      eq(dataStreams.orgId, orgId),
      and(isNull(dataStreams.orgId), eq(dataStreams.partnerId, organizations.partnerId)),
    ),
    ne(dataStreams.state, "draft"),
  );

/** Streams that retention waits for before removing entries: archives, and streams with a hold. */
export async function readHolds(tx: Tx, orgId: string): Promise<Hold[]> {
  const rows = await tx
    .select({ days: dataStreams.holdDays, through: streamPositions.throughSeq })
    .from(dataStreams)
    .innerJoin(organizations, eq(organizations.id, orgId))
    .leftJoin(
      streamPositions,
      and(
        eq(streamPositions.streamId, dataStreams.id),
        eq(streamPositions.orgId, orgId),
        eq(streamPositions.replayId, ZERO_UUID),
      ),
    )
    .where(and(holding(orgId), or(isArchive, sql`${dataStreams.holdDays} IS NOT NULL`)));
  return rows.map(({ days, through }) => ({ days, through: through ?? 0 }));
}

/** True if retention waits for an archive: entries go only after they were read back from it. */
export async function isArchived(tx: Tx, orgId: string): Promise<boolean> {
  const found = await tx
    .select({ id: dataStreams.id })
    .from(dataStreams)
    .innerJoin(organizations, eq(organizations.id, orgId))
    .where(and(holding(orgId), isArchive))
    .limit(1);
  return found.length > 0;
}
