"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { counted } from "@/components/format/amounts";
import { type Days, DaysField, isRetention } from "@/components/retention/days-field";
import { PRUNING_OFF, wouldRemove } from "@/components/retention/removal-text";
import { type Outputs, useTRPC, useTRPCClient } from "@/components/trpc";
import { Dialog } from "@/components/ui/dialogs/dialog";
import { errorText, Message, readErrorText } from "@/components/ui/notice";
import { useInvalidation } from "@/components/use-invalidation";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";

const DEBOUNCE_MS = 300;
/** Must be typed to confirm when entries would be removed. */
const CONFIRMATION_WORD = "remove";
const NAMED = 6;

type Preview = Outputs["retention"]["previewMany"];
type Props = {
  organizations: readonly OrganizationOverview[];
  /** False if the server removes nothing, whatever the policies. */
  pruningEnabled: boolean;
  onClose: () => void;
};

/** Sets one retention period for several organizations, after a preview of what the next run would remove. */
export function RetentionDialog({ organizations, pruningEnabled, onClose }: Props) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [days, setDays] = useState<Days>(365);
  const [typed, setTyped] = useState("");
  const [settled] = useDebouncedValue(days, DEBOUNCE_MS);
  const isValid = isRetention(days);
  const orgId = organizations.map((org) => org.orgId);
  const input = { orgId, retentionDays: Number(settled) };
  const stale = useInvalidation(trpc.retention.pathFilter(), trpc.organizations.pathFilter());
  const set = useMutation(trpc.retention.setMany.mutationOptions(stale));
  const preview = useQuery({
    queryKey: [...trpc.retention.previewMany.mutationKey(), input],
    queryFn: ({ signal }) => client.retention.previewMany.mutate(input, { signal }),
    // Saving invalidates the preview; without this, it would run again for every organization before the result is
    // shown.
    enabled: isValid && settled === days && (set.isIdle || set.isError),
  });
  const known = preview.data?.retentionDays === days ? preview.data : undefined;
  const mustType = (known?.entries ?? 0) > 0;
  const isReady = isValid && known !== undefined && (!mustType || typed.trim().toLowerCase() === CONFIRMATION_WORD);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) set.mutate({ orgId, retentionDays: Number(days) });
  };
  const choose = (value: Days) => {
    set.reset();
    setTyped("");
    setDays(value);
  };
  const title = `Retention of ${counted(organizations.length, "organization")}`;
  if (set.isSuccess) return <Saved title={title} changed={set.data} days={Number(days)} onClose={onClose} />;
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={send}>
        <Stack gap="lg">
          {set.isError && <Message tone="bad">{errorText(set.error)}</Message>}
          <DaysField
            label="Usual periods"
            nameOf={(days) => `${days.toLocaleString("en-GB")} days`}
            value={days}
            onChange={choose}
          />
          <div aria-live="polite">
            <RemovalPreview
              preview={known}
              error={preview.error}
              organizations={organizations}
              pruningEnabled={pruningEnabled}
            />
          </div>
          {mustType && (
            <TextInput
              label={`Type ${CONFIRMATION_WORD} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isReady} loading={set.isPending} {...(mustType && { color: "red.9" })}>
              Set retention
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

type RemovalPreviewProps = Omit<Props, "onClose"> & { preview: Preview | undefined; error: unknown };

function RemovalPreview({ preview, error, organizations, pruningEnabled }: RemovalPreviewProps) {
  if (error) return <Text>It could not be determined what the next run would remove. {readErrorText(error)}</Text>;
  if (!preview) return <Text>Counting what the next run would remove …</Text>;
  const nameOf = (id: string) => organizations.find(({ orgId }) => orgId === id)?.name ?? id;
  const alarmed = preview.alarmed.length > 0 && (
    <Text>
      Nothing is removed of {counted(preview.alarmed.length, "organization")} while an alarm is open on the log:{" "}
      {preview.alarmed.slice(0, NAMED).map(nameOf).join(", ")}
      {preview.alarmed.length > NAMED && ` and ${counted(preview.alarmed.length - NAMED, "other")}`}.
    </Text>
  );
  const lead = wouldRemove(pruningEnabled);
  if (preview.entries === 0)
    return alarmed ? (
      <>
        {!pruningEnabled && <Text>{PRUNING_OFF}</Text>}
        {alarmed}
      </>
    ) : (
      <Text>{lead} nothing: these organizations have no entries that old.</Text>
    );
  const worst = [...preview.organizations].sort((a, b) => b.entries - a.entries);
  return (
    <>
      <Text>
        {lead} <strong>{counted(preview.entries, "entry", "entries")}</strong> of{" "}
        {counted(worst.length, "organization")}. Removed entries cannot be restored.
      </Text>
      <ul className="tm-lines">
        {worst.slice(0, NAMED).map(({ orgId, entries }) => (
          <li key={orgId}>
            <span>{nameOf(orgId)}</span>
            <span className="tm-figures">{counted(entries, "entry", "entries")}</span>
          </li>
        ))}
      </ul>
      {worst.length > NAMED && (
        <Text size="sm" c="dimmed">
          and {counted(worst.length - NAMED, "other organization")}
        </Text>
      )}
      {alarmed}
    </>
  );
}

type SavedProps = { title: string; changed: Outputs["retention"]["setMany"]; days: number; onClose: () => void };

function Saved({ title, changed: { organizations, changed }, days, onClose }: SavedProps) {
  const same = organizations - changed;
  return (
    <Dialog onClose={onClose} title={title}>
      <Text role="status">
        {counted(changed, "organization")} changed to {counted(days, "day")}.
        {same > 0 && ` ${counted(same, "organization")} already had this period.`}
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      </Group>
    </Dialog>
  );
}
