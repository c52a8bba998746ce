import { filterFor } from "@/components/audit/filters/narrow";
import type { RangeView } from "@/components/audit/filters/range-choices";
import { zoneParam } from "@/components/format/zone-param";
import { joinValues } from "@/server/audit/query/value-list";

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

/** The filter for an actor's entries; the system itself has no id. */
export function actorFilter({ userId }: { userId: string }): Filter {
  return userId === NO_USER ? { actorType: ["system"] } : { [filterFor("actorId", userId)]: [userId] };
}
