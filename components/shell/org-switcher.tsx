"use client";

import { Select, Text } from "@mantine/core";
import { Building2 } from "lucide-react";
import { useOrg } from "./org";
import classes from "./org-switcher.module.css";

const ALL = "all";

/** Narrows every page to one organization; people of a single organization just see its name. */
export function OrgSwitcher() {
  const { org, organizations, setOrg } = useOrg();
  const [only, ...others] = organizations;
  if (!only) return null;
  if (others.length === 0)
    return (
      <Text size="md" className={classes.single}>
        {only.name}
      </Text>
    );
  return (
    <Select
      aria-label="Organization"
      className={classes.select}
      classNames={{ input: classes.input }}
      data={[{ value: ALL, label: "All organizations" }, ...organizations.map((o) => ({ value: o.id, label: o.name }))]}
      value={org?.id ?? ALL}
      onChange={(value) => setOrg(value === ALL ? null : value)}
      allowDeselect={false}
      searchable={organizations.length > 8}
      nothingFoundMessage="No such organization"
      leftSection={<Building2 size={15} strokeWidth={1.75} aria-hidden />}
      maxDropdownHeight={360}
    />
  );
}
