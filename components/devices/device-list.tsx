"use client";

import { Anchor, Button, Select } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { MonitorSmartphone } from "lucide-react";
import Link from "next/link";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback } from "react";
import type { Device } from "@/server/devices/schema";
import { Notice } from "../shell/notice";
import { useCan, useOrg } from "../shell/org";
import { PageHeader } from "../shell/page-header";
import { PagedList } from "../shell/paged-list";
import pagedClasses from "../shell/paged-list.module.css";
import { type Column, RecordTable } from "../shell/record-table";
import { SearchField } from "../shell/search-field";
import { When } from "../shell/when";
import { useTRPC } from "../trpc";
import { Online } from "./online";

const STATES = [
  { value: "online", label: "Online" },
  { value: "offline", label: "Offline" },
];

/** The devices within reach, and which of them are there right now. */
export function DeviceList() {
  const trpc = useTRPC();
  const mayEnroll = useCan("agents:enroll");
  const mayImport = useCan("custom_fields:import");
  const { org, orgId, organizations, nameOf } = useOrg();
  const [view, setView] = useQueryStates({
    page: parseAsInteger.withDefault(1),
    search: parseAsString,
    state: parseAsStringLiteral(["online", "offline"] as const),
  });
  const input = {
    page: view.page,
    search: view.search ?? undefined,
    orgId,
    ...(view.state ? { online: view.state === "online" } : {}),
  };
  const list = useQuery(trpc.devices.list.queryOptions(input, { placeholderData: keepPreviousData }));
  const onSearch = useCallback((search: string) => setView({ search: search || null, page: null }), [setView]);
  const query = org ? `?org=${org.id}` : "";
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
    { header: "System", cell: (d) => [d.os, d.osVersion].filter(Boolean).join(" "), width: 220 },
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
        {mayImport && (
          <Button variant="default" component={Link} href="/settings/custom-fields/import">
            Import custom fields
          </Button>
        )}
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
            <Notice
              icon={MonitorSmartphone}
              title="No devices yet"
              action={
                mayEnroll ? (
                  <Button component={Link} href={`/settings/enrollment${query}`}>
                    Enroll a device
                  </Button>
                ) : null
              }
            >
              A device appears here as soon as its agent has joined.
            </Notice>
          )
        }
      >
        {(rows, isStale) => (
          <RecordTable caption="Devices" columns={columns} rows={rows} rowKey={(d) => d.id} isStale={isStale} />
        )}
      </PagedList>
    </>
  );
}
