import type { RangeView } from "../audit/range-menu";

type Filter = Partial<Record<"actor" | "action" | "category" | "result" | "type", string>>;

/** The address of the audit log that shows the rows behind a number: the same range and organization, and a filter. */
export function rowsBehind(filter: Filter, view: RangeView, orgId: string | undefined): string {
  const query = new URLSearchParams(Object.entries(filter));
  if (view.range) query.set("range", view.range);
  if (view.from) query.set("from", view.from.toISOString());
  if (view.to) query.set("to", view.to.toISOString());
  if (orgId) query.set("org", orgId);
  const text = query.toString();
  return text ? `/?${text}` : "/";
}

/** The filter that finds what somebody did: by e-mail, by name, or for agents by their kind. */
export function actorFilter({ userName, userEmail }: { userName: string; userEmail?: string }): Filter {
  if (userEmail) return { actor: userEmail };
  return userName.startsWith("Agent") ? { type: "agent" } : { actor: userName };
}
