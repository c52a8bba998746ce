"use client";

import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Org } from "@/components/account/one-org";
import { type Outputs, useTRPC } from "@/components/trpc";
import { useDone } from "@/components/ui/dialogs/use-done";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import { ConfirmShorter } from "./confirm-shorter";
import { type Days, DaysField, isRetention } from "./days-field";
import { PreviewLine } from "./preview-line";
import classes from "./retention.module.css";

const DEBOUNCE_MS = 300;
const LABEL: Record<number, string> = {
  90: "90 days",
  180: "180 days",
  365: "1 year",
  730: "2 years",
  2555: "7 years",
};

/** The retention period; shortening it needs a confirmation. */
export function PolicyForm({ org, policy }: { org: Org; policy: Outputs["retention"]["get"] }) {
  const trpc = useTRPC();
  const [days, setDays] = useState<Days>(policy.retentionDays ?? 365);
  const [isAsking, setIsAsking] = useState(false);
  const { pruningEnabled } = policy;
  const isValid = isRetention(days);
  const isNew = isValid && days !== policy.retentionDays;
  const isShorter = isNew && Number(days) < (policy.retentionDays ?? Number.POSITIVE_INFINITY);
  const [settled] = useDebouncedValue(days, DEBOUNCE_MS);
  const preview = useQuery({
    ...trpc.retention.preview.queryOptions({ id: org.id, retentionDays: Number(settled) }),
    enabled: isNew && settled === days,
  });
  const done = useDone(() => setIsAsking(false), trpc.retention.pathFilter());
  const save = useMutation(trpc.retention.set.mutationOptions(done));
  const send = () => save.mutate({ id: org.id, retentionDays: Number(days) });
  const choose = (value: Days) => {
    save.reset();
    setDays(value);
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isShorter) setIsAsking(true);
        else if (isNew) send();
      }}
    >
      <DaysField
        label="Usual windows"
        nameOf={(days) => LABEL[days] ?? `${days} days`}
        value={days}
        onChange={choose}
      />
      <div className={classes.preview} aria-live="polite">
        {isNew && (
          <PreviewLine
            preview={preview.data}
            error={preview.error}
            days={Number(days)}
            pruningEnabled={pruningEnabled}
          />
        )}
        {!isNew && isValid && save.isSuccess && "Saved."}
      </div>
      {save.isError && !isAsking && <Message tone="bad">{errorText(save.error)}</Message>}
      <div>
        <Button type="submit" disabled={!isNew} loading={save.isPending && !isAsking}>
          Save
        </Button>
      </div>
      {isAsking && (
        <ConfirmShorter
          org={org}
          days={Number(days)}
          before={policy.retentionDays}
          pruningEnabled={pruningEnabled}
          preview={preview.data}
          previewError={preview.error}
          isBusy={save.isPending}
          error={save.error}
          onConfirm={send}
          onClose={() => setIsAsking(false)}
        />
      )}
    </form>
  );
}
