import { useState } from "react";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";

/** The selected organizations; they stay selected while a filter hides them. */
export function useSelection(all: readonly OrganizationOverview[], shown: readonly OrganizationOverview[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setIds((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const toggleAll = () =>
    setIds((old) => {
      const isFull = shown.every(({ orgId }) => old.has(orgId));
      return isFull ? new Set() : new Set([...old, ...shown.map(({ orgId }) => orgId)]);
    });
  const chosen = all.filter(({ orgId }) => ids.has(orgId));
  return { ids, chosen, toggle, toggleAll, clear: () => setIds(new Set()) };
}
