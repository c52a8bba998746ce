"use client";

import { Select, type SelectProps } from "@mantine/core";
import { useMe, useOrg } from "./org";

/** The option "All organizations"; in requests it is expressed by omitting orgId. */
const ALL_ORGS = "all";

/** A form's selection as the request's orgId. */
export const toOrgId = (choice: string | null): string | undefined =>
  choice === null || choice === ALL_ORGS ? undefined : choice;

/** The default organization of a new item: the page's, otherwise all, otherwise the only one. */
export function useDefaultOrg({ withAll = false } = {}): string {
  const { user } = useMe();
  const { orgId, organizations } = useOrg();
  if (orgId) return orgId;
  const isOrgUser = user.role.startsWith("org_");
  return withAll && !isOrgUser ? ALL_ORGS : (organizations[0]?.id ?? ALL_ORGS);
}

/** Selects the organization of a new item; renders nothing when there is only one. */
export function OrgSelect({ withAll, ...field }: SelectProps & { withAll?: boolean }) {
  const { organizations } = useOrg();
  if (organizations.length < 2) return null;
  const all = withAll ? [{ value: ALL_ORGS, label: "All organizations" }] : [];
  const data = [...all, ...organizations.map((o) => ({ value: o.id, label: o.name }))];
  return <Select label="Organization" data={data} searchable {...field} />;
}
