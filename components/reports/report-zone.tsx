"use client";

import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMe, useOrg } from "@/components/account/org";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";

const nameOf = (zone: string) => zone.replaceAll("_", " ");

/** The organization whose own zone a report can be read in: the one that it is of, or of all the reader's own. */
function useOwner() {
  const { homeOrgId } = useMe();
  const { orgId, organizations } = useOrg();
  const [only, ...others] = organizations;
  const id = orgId ?? (others.length === 0 ? only?.id : homeOrgId);
  const { organizations: ask } = useTRPC();
  return useQuery(ask.get.queryOptions({ id: id ?? "" }, { enabled: Boolean(id) })).data;
}

/** Whose zone the report is in, as a word beside it: "Contoso's time zone"; "" for the reader's own and UTC. */
export function useZoneOwner(): string {
  const { zone, local } = useZone();
  const owner = useOwner();
  return owner?.timeZone === zone && zone !== local ? `${owner.name}'s time zone` : "";
}

/** Chooses the zone whose days the report means: the reader's, the organization's own, or UTC. */
export function ReportZone() {
  const { zone, local, setZone } = useZone();
  const owner = useOwner();
  const choices = new Map([[local, `My time zone: ${nameOf(local)}`]]);
  const add = (name: string, label: string) => !choices.has(name) && choices.set(name, label);
  if (owner?.timeZone) add(owner.timeZone, `${owner.name}: ${nameOf(owner.timeZone)}`);
  add("UTC", "UTC");
  add(zone, nameOf(zone));
  return (
    <Select
      aria-label="Time zone of the report"
      data={[...choices].map(([value, label]) => ({ value, label }))}
      value={zone}
      onChange={(chosen) => chosen && setZone(chosen)}
      allowDeselect={false}
      w={290}
    />
  );
}
