"use client";

import { Anchor, Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Monitor, Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { parseAsStringLiteral } from "nuqs";
import { useCan, useOrg } from "@/components/account/org";
import { ImportButton } from "@/components/custom-fields/import-button";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { FilterSelect } from "@/components/ui/filter-select";
import { PageLink } from "@/components/ui/links/page-link";
import { NoMatch, Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { ListTools, RecordList } from "@/components/ui/paged-list";
import type { Column } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import { useListView } from "@/components/ui/use-list-view";
import type { Device } from "@/server/devices/schema";
import { Online, POLL_MS, systemOf } from "./cells";

const NewEnrollmentKey = dynamic(
  () => import("@/components/settings/new-enrollment-key").then((m) => m.NewEnrollmentKey),
  { ssr: false },
);

const STATES: { value: "online" | "offline"; label: string }[] = [
  { value: "online", label: "Online" },
  { value: "offline", label: "Offline" },
];

/** The devices that the user can see, with their online state. */
export function DeviceList() {
  const { org, orgId } = useOrg();
  const [enrolling, enroll] = useDisclosure(false);
  const { view, setView, onSearch } = useListView({ state: parseAsStringLiteral(["online", "offline"]) });
  const input = {
    page: view.page,
    search: view.search ?? undefined,
    orgId,
    ...(view.state ? { online: view.state === "online" } : {}),
  };
  const list = useQuery(
    useTRPC().devices.list.queryOptions(input, { placeholderData: keepPreviousData, refetchInterval: POLL_MS }),
  );
  const columns = useColumns();
  return (
    <>
      <PageHeader
        title="Devices"
        lead={org ? `Managed devices of ${org.name}.` : "Every managed device in the organizations you can see."}
      >
        <Actions onEnroll={enroll.open} />
      </PageHeader>
      <ListTools>
        <SearchField label="Search by name" value={view.search ?? ""} onSearch={onSearch} />
        <FilterSelect
          label="State"
          options={STATES}
          value={view.state}
          onChange={(state) => setView({ state, page: null })}
        />
      </ListTools>
      <RecordList
        query={list}
        what="the devices"
        onPage={(page) => setView({ page })}
        empty={
          view.search || view.state ? (
            <NoMatch search={view.search} onClear={() => setView({ search: null, state: null, page: null })} />
          ) : (
            <Notice icon={Monitor} title="No devices yet">
              A device appears here as soon as its agent has joined.
            </Notice>
          )
        }
        caption="Devices"
        columns={columns}
      />
      {enrolling && <NewEnrollmentKey onClose={enroll.close} />}
    </>
  );
}

/** The organization column is shown only when several organizations are listed. */
function useColumns(): Column<Device>[] {
  const { org, organizations, nameOf } = useOrg();
  const query = org ? `?orgId=${org.id}` : "";
  const organization: Column<Device> = { header: "Organization", cell: (d) => nameOf(d.orgId), width: 180 };
  return [
    {
      header: "Device",
      cell: (d) => (
        <Anchor component={PageLink} href={`/devices/${d.id}${query}`} fw={600} fz="inherit">
          {d.hostname}
        </Anchor>
      ),
    },
    { header: "State", cell: (d) => <Online device={d} />, width: 110 },
    { header: "System", cell: systemOf, width: 220 },
    ...(org || organizations.length < 2 ? [] : [organization]),
    { header: "Address", cell: (d) => d.lastIp ?? "Unknown", width: 140, minor: true },
    { header: "Agent", cell: (d) => d.agentVersion ?? "None", width: 100, minor: true },
    { header: "Last seen", cell: (d) => <When at={d.lastSeenAt} />, width: 190 },
  ];
}

function Actions({ onEnroll }: { onEnroll: () => void }) {
  const mayEnroll = useCan("agents:enroll");
  return (
    <Group gap="sm">
      <ImportButton>Import custom fields</ImportButton>
      {mayEnroll && (
        <Button leftSection={<Plus size={15} aria-hidden />} onClick={onEnroll}>
          Enroll a device
        </Button>
      )}
    </Group>
  );
}
