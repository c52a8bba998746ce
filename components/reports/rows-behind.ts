import { filterFor } from "@/components/audit/filters/narrow";
import type { RangeView } from "@/components/audit/filters/range-choices";
import { zoneParam } from "@/components/format/zone-param";

type Filter = Partial<Record<"actorId" | "rawActorId" | "actions" | "category" | "actorType", string>>;

/** Which entries a report counts: its range, read in its zone (null: the reader's own), and one organization or all. */
export type Counted = { range: RangeView; tz: string | null; orgId: string | undefined };

/** The address of the audit log that shows the rows behind a number: what the report counts, and a filter. */
export function rowsBehind(filter: Filter, { range, tz, orgId }: Counted): string {
  const query = new URLSearchParams(Object.entries(filter));
  if (range.range) query.set("range", range.range);
  if (range.from) query.set("from", range.from.toISOString());
  if (range.to) query.set("to", range.to.toISOString());
  if (tz) query.set("tz", zoneParam.serialize(tz));
  if (orgId) query.set("orgId", orgId);
  const text = query.toString();
  return text ? `/?${text}` : "/";
}

const NO_USER = "00000000-0000-0000-0000-000000000000";

/** The filter that finds exactly what an actor did; the platform itself has no id. */
export function actorFilter({ userId }: { userId: string }): Filter {
  return userId === NO_USER ? { actorType: "system" } : { [filterFor("actorId", userId)]: userId };
}
