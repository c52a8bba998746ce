"use client";

import { Group, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useOrg } from "@/components/account/org";
import { AuditHistory } from "@/components/audit/audit-history";
import { DeviceFields } from "@/components/custom-fields/device-fields";
import { useTRPC } from "@/components/trpc";
import { BackLink } from "@/components/ui/links/back-link";
import { QueryFailure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { TabList } from "@/components/ui/tab-list";
import { AgentAccess } from "./agent-access";
import { Online, POLL_MS, systemOf } from "./cells";
import { LiveEvents } from "./live/live-events";
import { DiagnosticLogs, EventLogs } from "./logs";
import { Overview } from "./overview";
import { Timeline } from "./timeline/timeline";

const TABS = ["overview", "timeline", "diagnostics", "events", "live", "history"] as const;
const LABEL = {
  overview: "Overview",
  timeline: "Timeline",
  diagnostics: "Diagnostic logs",
  events: "Event logs",
  live: "Live event logs",
  history: "Audit history",
} as const;

/** One device: facts, agent logs and event logs. */
export function DevicePage({ id }: { id: string }) {
  const { orgId, nameOf } = useOrg();
  const [{ tab }, setView] = useQueryStates(
    { tab: parseAsStringLiteral(TABS).withDefault("overview"), page: parseAsInteger },
    { history: "push" },
  );
  const query = useQuery(useTRPC().devices.get.queryOptions({ id }, { refetchInterval: POLL_MS }));
  const device = query.data;
  return (
    <>
      <BackLink href={orgId ? `/devices?orgId=${orgId}` : "/devices"}>Devices</BackLink>
      {query.isError && !device && <PageHeader title="Device" />}
      <QueryFailure query={query} what="this device" />
      {device && (
        <>
          <PageHeader
            title={device.hostname}
            lead={
              <Group component="span" gap="4px 16px">
                <Online device={device} />
                <span>{nameOf(device.orgId)}</span>
                <span>{systemOf(device)}</span>
              </Group>
            }
          />
          <Tabs
            value={tab}
            onChange={(value) => setView({ tab: TABS.find((name) => name === value) ?? null, page: null })}
            keepMounted={false}
          >
            <TabList label="About this device" chosen={tab}>
              {TABS.map((name) => (
                <Tabs.Tab key={name} value={name}>
                  {LABEL[name]}
                </Tabs.Tab>
              ))}
            </TabList>
            <Tabs.Panel value="overview">
              <Overview device={device} />
              <AgentAccess device={device} />
              <DeviceFields deviceId={id} />
            </Tabs.Panel>
            <Tabs.Panel value="timeline">
              <Timeline device={device} />
            </Tabs.Panel>
            <Tabs.Panel value="diagnostics">
              <DiagnosticLogs deviceId={id} />
            </Tabs.Panel>
            <Tabs.Panel value="events">
              <EventLogs deviceId={id} />
            </Tabs.Panel>
            <Tabs.Panel value="live">
              <LiveEvents device={device} />
            </Tabs.Panel>
            <Tabs.Panel value="history">
              <AuditHistory of={{ id: device.id, name: device.hostname }} what="device" />
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </>
  );
}
