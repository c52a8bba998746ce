"use client";

import { Select, type SelectProps } from "@mantine/core";
import { useMe, useOrg } from "./org";

/** The choice that stands for every organization; on the wire it is the absence of one. */
const ALL_ORGS = "all";

/** A form's choice as the wire has it. */
export const toOrgId = (choice: string | null): string | undefined =>
  choice === null || choice === ALL_ORGS ? undefined : choice;

/** Where a new thing belongs unless chosen otherwise: the organization of the page, all, or the only one. */
export function useFirstOrg({ withAll = false } = {}): string {
  const { user } = useMe();
  const { orgId, organizations } = useOrg();
  if (orgId) return orgId;
  const isOfOrg = user.role.startsWith("org_");
  return withAll && !isOfOrg ? ALL_ORGS : (organizations[0]?.id ?? ALL_ORGS);
}

/** The organization of what a form creates; nothing where there is no choice. */
export function OrgSelect({ withAll, ...field }: SelectProps & { withAll?: boolean }) {
  const { organizations } = useOrg();
  if (organizations.length < 2) return null;
  const all = withAll ? [{ value: ALL_ORGS, label: "All organizations" }] : [];
  const data = [...all, ...organizations.map((o) => ({ value: o.id, label: o.name }))];
  return <Select label="Organization" data={data} searchable {...field} />;
}
