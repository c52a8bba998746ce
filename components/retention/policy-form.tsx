"use client";

import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Org } from "@/components/account/one-org";
import { count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { useDone } from "@/components/ui/dialogs/form-dialog";
import { errorText, Message, readErrorText } from "@/components/ui/notice";
import { type Days, DaysField, isRetention } from "./days-field";
import { shorterText, wouldRemove } from "./removal-text";
import classes from "./retention.module.css";

type Props = {
  org: Org;
  days: number;
  before: number | null;
  pruningEnabled: boolean;
  preview: Outputs["retention"]["preview"] | undefined;
  previewError: unknown;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks the user to type the organization's name before a change that deletes entries. */
function ConfirmShorter({ org, days, before, pruningEnabled, preview, previewError, ...props }: Props) {
  const { isBusy, error, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation(); // React events bubble through portals: the dialog's form is inside the page's form
    if (typed.trim() === org.name) onConfirm();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={before === null ? "Start deleting old entries" : "Keep entries for a shorter time"}
    >
      <form onSubmit={send}>
        <Stack gap="lg">
          {error ? <Message tone="bad">{errorText(error)}</Message> : null}
          <Text>{shorterText({ name: org.name, before, days, pruningEnabled })}</Text>
          <Text>
            <PreviewLine preview={preview} error={previewError} days={days} pruningEnabled={pruningEnabled} />
          </Text>
          <TextInput
            label={`Type the organization's name, ${org.name}, to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" disabled={typed.trim() !== org.name || !preview} loading={isBusy}>
              {`Keep ${counted(days, "day")}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

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
    <Stack
      component="form"
      align="flex-start"
      gap="lg"
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
    </Stack>
  );
}

type LineProps = {
  preview: Outputs["retention"]["preview"] | undefined;
  error: unknown;
  days: number;
  pruningEnabled: boolean;
};

/** Effect of the next run: rows and time span; without pruning, that nothing is removed. */
function PreviewLine({ preview, error, days, pruningEnabled }: LineProps) {
  if (error) return <>It could not be determined what the next run would remove. {readErrorText(error)}</>;
  if (!preview || preview.retentionDays !== days) return <>Counting what the next run would remove …</>;
  const lead = wouldRemove(pruningEnabled);
  if (preview.alarmSince)
    return (
      <>
        {lead} nothing: an alarm is open on this log since <When at={preview.alarmSince} />. Until a verification of the
        whole log finds it intact, nothing of it is removed.
      </>
    );
  if (preview.rows === 0)
    return preview.heldBy ? (
      <>
        {lead} nothing yet: entry {count(preview.heldBy.seq)} of <When at={preview.heldBy.timestamp} /> comes before
        older entries and is inside the period until <When at={preview.heldBy.until} />.
      </>
    ) : (
      <>{lead} nothing: no entry is that old.</>
    );
  return (
    <>
      {lead} <strong>{counted(preview.rows, "entry", "entries")}</strong>, from <When at={preview.from} /> to{" "}
      <When at={preview.to} />.
    </>
  );
}
