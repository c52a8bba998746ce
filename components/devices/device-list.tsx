"use client";

import { Anchor, Button, Group, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { FileUp, MonitorSmartphone, Plus } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { useCan, useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { PagedList } from "@/components/ui/paged-list";
import pagedClasses from "@/components/ui/paged-list.module.css";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import type { Device } from "@/server/devices/schema";
import { Online } from "./online";
import { systemOf } from "./system-of";

const NewEnrollmentKey = dynamic(
  () => import("@/components/settings/new-enrollment-key").then((m) => m.NewEnrollmentKey),
  {
    ssr: false,
  },
);

const STATES = [
  { value: "online", label: "Online" },
  { value: "offline", label: "Offline" },
];

/** The devices within reach, and which of them are there right now. */
export function DeviceList() {
  const trpc = useTRPC();
  const mayEnroll = useCan("agents:enroll");
  const [enrolling, enroll] = useDisclosure(false);
  const mayImport = useCan("custom_fields:import");
  const { org, orgId, organizations, nameOf } = useOrg();
  const [view, setView] = useQueryStates(
    {
      page: parseAsInteger.withDefault(1),
      search: parseAsString,
      state: parseAsStringLiteral(["online", "offline"] as const),
    },
    { history: "push" },
  );
  const input = {
    page: view.page,
    search: view.search ?? undefined,
    orgId,
    ...(view.state ? { online: view.state === "online" } : {}),
  };
  const list = useQuery(trpc.devices.list.queryOptions(input, { placeholderData: keepPreviousData }));
  const onSearch = useCallback((search: string) => setView({ search: search || null, page: null }), [setView]);
  const query = org ? `?orgId=${org.id}` : "";
  const columns: Column<Device>[] = [
    {
      header: "Device",
      cell: (d) => (
        <Anchor component={Link} href={`/devices/${d.id}${query}`} fw={600} fz="inherit">
          {d.hostname}
        </Anchor>
      ),
    },
    { header: "State", cell: (d) => <Online device={d} />, width: 110 },
    { header: "System", cell: (d) => systemOf(d), width: 220 },
    ...(org || organizations.length < 2
      ? []
      : [{ header: "Organization", cell: (d: Device) => nameOf(d.orgId), width: 180 }]),
    { header: "Address", cell: (d) => d.lastIp ?? "Unknown", width: 140, minor: true },
    { header: "Agent", cell: (d) => d.agentVersion ?? "None", width: 100, minor: true },
    { header: "Last seen", cell: (d) => <When at={d.lastSeenAt} />, width: 190 },
  ];
  const isNarrowed = Boolean(view.search || view.state);
  return (
    <>
      <PageHeader
        title="Devices"
        lead={org ? `Managed devices of ${org.name}.` : "Every managed device that you reach."}
      >
        <Group gap="sm">
          {mayImport && (
            <Button
              variant="default"
              component={Link}
              href="/settings/custom-fields/import"
              leftSection={<FileUp size={15} aria-hidden />}
            >
              Import custom fields
            </Button>
          )}
          {mayEnroll && (
            <Button leftSection={<Plus size={15} aria-hidden />} onClick={enroll.open}>
              Enroll a device
            </Button>
          )}
        </Group>
      </PageHeader>
      <div className={pagedClasses.tools}>
        <SearchField label="Search by name" value={view.search ?? ""} onSearch={onSearch} />
        <Select
          aria-label="State"
          placeholder="Any state"
          data={STATES}
          value={view.state}
          onChange={(state) => setView({ state: state as "online" | "offline" | null, page: null })}
          clearable
          clearButtonProps={{ "aria-label": "Any state" }}
          w={150}
        />
      </div>
      <PagedList
        query={list}
        what="the devices"
        onPage={(page) => setView({ page })}
        empty={
          isNarrowed ? (
            <Notice
              title="No device matches"
              action={
                <Button variant="default" onClick={() => setView({ search: null, state: null, page: null })}>
                  Clear the search
                </Button>
              }
            />
          ) : (
            <Notice icon={MonitorSmartphone} title="No devices yet">
              A device appears here as soon as its agent has joined.
            </Notice>
          )
        }
      >
        {(rows, isStale) => (
          <RecordTable caption="Devices" columns={columns} rows={rows} rowKey={(d) => d.id} isStale={isStale} />
        )}
      </PagedList>
      {enrolling && <NewEnrollmentKey onClose={enroll.close} />}
    </>
  );
}
