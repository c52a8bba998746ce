import type { RangeView } from "@/components/audit/filters/range-choices";
import { zoneParam } from "@/components/format/zone-param";
import { joinValues } from "@/server/audit/query/values";
import type { ActorType } from "@/server/audit/vocabulary";
import { GUID } from "@/server/ground/text";

type Filter = Partial<Record<"actorId" | "rawActorId" | "actions" | "category" | "actorType", readonly string[]>>;

/**
 * The entries a report counts: its range, the zone it is read in (null: the user's own), and one organization or all.
 */
export type ReportScope = { range: RangeView; tz: string | null; orgId: string | undefined };

/** The URL of the audit log with the entries behind a number: the report's range and scope plus a filter. */
export function entriesHref(filter: Filter, { range, tz, orgId }: ReportScope): string {
  const query = new URLSearchParams(Object.entries(filter).map(([name, values]) => [name, joinValues(values)]));
  if (range.range) query.set("range", range.range);
  if (range.from) query.set("from", range.from.toISOString());
  if (range.to) query.set("to", range.to.toISOString());
  if (tz) query.set("tz", zoneParam.serialize(tz));
  if (orgId) query.set("orgId", orgId);
  const text = query.toString();
  return text ? `/?${text}` : "/";
}

const NO_USER = "00000000-0000-0000-0000-000000000000";

/** Of several actors without an id each has its type alone. */
type ReportedActor = { userId: string; actorType: ActorType };

/** Distinguishes the actors of a report. */
export const actorKey = ({ userId, actorType }: ReportedActor): string => `${actorType}:${userId}`;

/**
 * The filter for an actor's entries; null for those whom nothing names: no filter tells them from others of their type
 * whose ids are foreign. The system itself has no id.
 */
export function actorFilter({ userId, actorType }: ReportedActor): Filter | null {
  if (userId !== NO_USER) return { [GUID.test(userId) ? "actorId" : "rawActorId"]: [userId] };
  return actorType === "system" ? { actorType: [actorType] } : null;
}
