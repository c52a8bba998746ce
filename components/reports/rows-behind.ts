import { filterFor } from "@/components/audit/filters/narrow";
import type { RangeView } from "@/components/audit/filters/range-menu";

type Filter = Partial<Record<"actorId" | "rawActorId" | "actions" | "category" | "actorType", string>>;

/** The address of the audit log that shows the rows behind a number: the same range and organization, and a filter. */
export function rowsBehind(filter: Filter, view: RangeView, orgId: string | undefined): string {
  const query = new URLSearchParams(Object.entries(filter));
  if (view.range) query.set("range", view.range);
  if (view.from) query.set("from", view.from.toISOString());
  if (view.to) query.set("to", view.to.toISOString());
  if (orgId) query.set("orgId", orgId);
  const text = query.toString();
  return text ? `/?${text}` : "/";
}

const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The filter that finds exactly what an actor did; the platform itself has no id. */
export function actorFilter({ userId }: { userId: string }): Filter {
  return userId === NOBODY ? { actorType: "system" } : { [filterFor("actorId", userId)]: userId };
}
