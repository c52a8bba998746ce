"use client";

import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Org } from "@/components/account/one-org";
import { bytes, count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Figures } from "@/components/ui/figures";
import { Message } from "@/components/ui/message";
import { Failure } from "@/components/ui/notice";
import { Section } from "@/components/ui/section";
import { DeviceLogForm } from "./device-log-form";
import classes from "./retention.module.css";

type Policy = Outputs["retention"]["deviceLogs"];

/** Retention and storage of diagnostic logs and device events. */
export function DeviceLogs({ org, mayManage }: { org: Org; mayManage: boolean }) {
  const trpc = useTRPC();
  const policy = useQuery(trpc.retention.deviceLogs.queryOptions({ id: org.id }));
  return (
    <Section
      title="Keep device logs for"
      lead="Diagnostic logs of agents and events of devices are removed once they are older. Audit entries are not touched."
    >
      {policy.isPending && <Skeleton height={76} radius={8} />}
      {policy.isError && (
        <Failure error={policy.error} onRetry={() => void policy.refetch()} what="the retention of device logs" />
      )}
      {policy.data && (
        <>
          <Notice policy={policy.data} />
          <Storage storage={policy.data.storage} />
          {mayManage ? (
            <DeviceLogForm key={policy.data.updatedAt ?? ""} orgId={org.id} policy={policy.data} />
          ) : (
            <p className={classes.kept}>
              Diagnostic logs: {daysText(policy.data.diagnosticDays)}; events: {daysText(policy.data.eventDays)}.
              Changing this needs the audit:manage permission.
            </p>
          )}
        </>
      )}
    </Section>
  );
}

/** null without a policy. */
const daysText = (days: number | null): string => (days === null ? "never removed" : counted(days, "day"));

/** Announces the first cleanup in advance. */
function Notice({ policy }: { policy: Policy }) {
  if (!policy.configured) return <Message tone="warn">Not configured: device logs are never removed.</Message>;
  if (policy.pruneFrom && Date.parse(policy.pruneFrom) > Date.now())
    return (
      <Message tone="warn">
        Nothing has been removed so far. From <When at={policy.pruneFrom} dateOnly /> on, diagnostic logs older than{" "}
        {daysText(policy.diagnosticDays)} and events older than {daysText(policy.eventDays)} are removed. Save other
        numbers to keep them longer.
      </Message>
    );
  return null;
}

function Storage({ storage }: { storage: Policy["storage"] }) {
  const shown = ({ rows, isEstimated }: Policy["storage"]["events"]) => `${isEstimated ? "about " : ""}${count(rows)}`;
  return (
    <Figures
      label="Device logs kept now"
      items={[
        {
          label: "Diagnostic log entries",
          value: shown(storage.diagnostic),
          note: `${bytes(storage.diagnostic.bytes)}, estimated`,
        },
        { label: "Events", value: shown(storage.events), note: `${bytes(storage.events.bytes)}, estimated` },
        { label: "Oldest log entry", value: <When at={storage.diagnostic.oldestAt} none="None" dateOnly /> },
        { label: "Oldest event", value: <When at={storage.events.oldestAt} none="None" dateOnly /> },
      ]}
    />
  );
}
