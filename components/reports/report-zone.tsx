"use client";

import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMe, useOrg } from "@/components/account/org";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";

const nameOf = (zone: string) => zone.replaceAll("_", " ");

/** The organization whose time zone is offered: the report's, or the user's own for a report on all organizations. */
function useOwner() {
  const { homeOrgId } = useMe();
  const id = useOrg().one?.id ?? homeOrgId;
  const { organizations: procedures } = useTRPC();
  return useQuery(procedures.get.queryOptions({ id: id ?? "" }, { enabled: Boolean(id) })).data;
}

/** A note such as "Contoso's time zone"; empty for the user's own zone and UTC. */
export function useZoneOwner(): string {
  const { zone, local } = useZone();
  const owner = useOwner();
  return owner?.timeZone === zone && zone !== local ? `${owner.name}'s time zone` : "";
}

/** Selects the time zone of the report: the user's, the organization's, or UTC. */
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
