"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { useTRPC } from "@/components/trpc";

/** The signed-in person with organizations and permissions. */
export function useMe() {
  return useSuspenseQuery(useTRPC().me.get.queryOptions()).data;
}

/** True when the user has the permission. The server checks again; this only decides what to show. */
export function useCan(permission: string): boolean {
  return useMe().permissions.includes(permission);
}

/** Returns an organization's name by id. Unlike useOrg it does not depend on the URL, so list rows do not rerender. */
export function useOrgName(): (id: string) => string {
  const { organizations } = useMe();
  return useCallback((id) => organizations.find((o) => o.id === id)?.name ?? "Unknown organization", [organizations]);
}

/** The organization, and parameters for a position in its list, which do not apply to another organization. */
const PARAMS = { orgId: parseAsString, page: parseAsString, cursor: parseAsString, row: parseAsString };

/**
 * The organization selected in the URL for every page; null means all the user can see. `several` is set when the URL
 * selects more than one, which only the audit log supports; `one` is the selected or only organization.
 */
export function useOrg() {
  const { organizations } = useMe();
  const [{ orgId: org }, setView] = useQueryStates(PARAMS, { history: "push" });
  const setOrg = (orgId: string | null) => setView({ orgId, page: null, cursor: null, row: null });
  const chosen = organizations.find((o) => o.id === org) ?? null;
  const ids = org?.split(",") ?? [];
  const several = ids.length > 1 ? organizations.filter((o) => ids.includes(o.id)) : [];
  const nameOf = useOrgName();
  const one = chosen ?? (organizations.length === 1 ? organizations[0] : undefined);
  return { org: chosen, orgId: chosen?.id, one, organizations, several, setOrg, nameOf };
}

/**
 * A sentence about what is missing from a list of one organization; null for the list of all organizations.
 * @param theirs what an organization's own users do not see: items of their service provider
 * @param ours the same items, as the service provider refers to them
 */
export function useOmissionNote({ theirs, ours }: { theirs: string; ours: string }): string | null {
  const { scope } = useMe();
  const { org } = useOrg();
  if (scope === "organization") return `${theirs} are not listed here.`;
  return org && `${ours} are listed under All organizations.`;
}
