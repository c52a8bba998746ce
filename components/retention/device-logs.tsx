"use client";

import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Org } from "@/components/account/one-org";
import { bytes, count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Figures } from "@/components/ui/figures";
import { errorText, Failure, Message, readErrorText } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import { useInvalidation } from "@/components/use-invalidation";
import { DEFAULT_DIAGNOSTIC_DAYS, DEFAULT_EVENT_DAYS, MAX_DEVICE_LOG_DAYS } from "@/server/devices/logs/policy-schema";
import { DAY_MS } from "@/server/ground/time/durations";
import { type Days, DaysInput } from "./days-field";
import { expiredText } from "./removal-text";
import classes from "./retention.module.css";

const DEBOUNCE_MS = 300;
const isDays = (value: Days): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DEVICE_LOG_DAYS;

/** Both retention periods, with a preview of what the next run would remove. */
function DeviceLogForm({ orgId, policy }: { orgId: string; policy: Outputs["retention"]["deviceLogs"] }) {
  const trpc = useTRPC();
  const [diagnosticDays, setDiagnostic] = useState<Days>(policy.diagnosticDays ?? DEFAULT_DIAGNOSTIC_DAYS);
  const [eventDays, setEvents] = useState<Days>(policy.eventDays ?? DEFAULT_EVENT_DAYS);
  const isValid = isDays(diagnosticDays) && isDays(eventDays);
  const isNew = isValid && (diagnosticDays !== policy.diagnosticDays || eventDays !== policy.eventDays);
  const input = { id: orgId, diagnosticDays: Number(diagnosticDays), eventDays: Number(eventDays) };
  const [settled] = useDebouncedValue(input, DEBOUNCE_MS);
  const preview = useQuery({ ...trpc.retention.previewDeviceLogs.queryOptions(settled), enabled: isNew });
  const save = useMutation(trpc.retention.setDeviceLogs.mutationOptions(useInvalidation(trpc.retention.pathFilter())));
  const days = (label: string, value: Days, onChange: (value: Days) => void) => (
    <DaysInput
      {...{ label, value, onChange }}
      width={200}
      error={isDays(value) ? null : "A whole number from 1 to 3,650"}
    />
  );
  return (
    <Stack
      component="form"
      align="flex-start"
      gap="lg"
      onSubmit={(event) => {
        event.preventDefault();
        if (isNew) save.mutate(input);
      }}
    >
      <Group gap={16} mt={16} align="flex-start">
        {days("Diagnostic logs, days", diagnosticDays, setDiagnostic)}
        {days("Events, days", eventDays, setEvents)}
      </Group>
      <div className={classes.preview} aria-live="polite">
        {isNew && preview.data && (
          <>
            The next daily run would remove{" "}
            {expiredText(preview.data.diagnostic, "diagnostic log entry", "diagnostic log entries")} and{" "}
            {expiredText(preview.data.events, "event")}.
          </>
        )}
        {isNew && preview.isError && readErrorText(preview.error)}
      </div>
      {save.isError && <Message tone="bad">{errorText(save.error)}</Message>}
      <div>
        <Button type="submit" variant="default" disabled={!isNew} loading={save.isPending}>
          Save device log retention
        </Button>
      </div>
    </Stack>
  );
}

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
          <Storage policy={policy.data} />
          {mayManage ? (
            <DeviceLogForm key={policy.data.updatedAt ?? ""} orgId={org.id} policy={policy.data} />
          ) : (
            <Text c="dimmed" maw={640} mt="lg">
              Diagnostic logs: {daysText(policy.data.diagnosticDays)}; events: {daysText(policy.data.eventDays)}.
              Changing this needs the audit:manage permission.
            </Text>
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

/** Reason that something older than its period still exists: it was stored after the last run. */
const lateNote = (oldestAt: string | null, days: number | null): string | undefined =>
  oldestAt && days !== null && Date.parse(oldestAt) < Date.now() - days * DAY_MS
    ? `older than ${counted(days, "day")}: the next daily run removes it`
    : undefined;

function Storage({ policy: { storage, diagnosticDays, eventDays } }: { policy: Policy }) {
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
        {
          label: "Oldest log entry",
          value: <When at={storage.diagnostic.oldestAt} none="None" dateOnly />,
          note: lateNote(storage.diagnostic.oldestAt, diagnosticDays),
        },
        {
          label: "Oldest event",
          value: <When at={storage.events.oldestAt} none="None" dateOnly />,
          note: lateNote(storage.events.oldestAt, eventDays),
        },
      ]}
    />
  );
}
