"use client";

import { Button, Group } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/message";
import { errorText, readErrorText } from "@/components/ui/notice";
import { useInvalidation } from "@/components/use-invalidation";
import { DEFAULT_DIAGNOSTIC_DAYS, DEFAULT_EVENT_DAYS, MAX_DEVICE_LOG_DAYS } from "@/server/devices/logs/policy-schema";
import { type Days, DaysInput } from "./days-field";
import { expiredText } from "./removal-text";
import classes from "./retention.module.css";

const DEBOUNCE_MS = 300;
const isDays = (value: Days): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DEVICE_LOG_DAYS;

/** Both retention periods, with a preview of what the next run would remove. */
export function DeviceLogForm({ orgId, policy }: { orgId: string; policy: Outputs["retention"]["deviceLogs"] }) {
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
    <form
      className={classes.form}
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
    </form>
  );
}
