"use client";

import { Button, Group, Modal, Select, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useCan, useMe } from "@/components/account/org";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { PageLink } from "@/components/ui/links/page-link";
import { Message, readErrorText } from "@/components/ui/notice";
import { updateAlertInput } from "@/server/detections/schema";
import { ALERT_STATE_LABEL, REASON_LABEL } from "@/server/detections/vocabulary";
import { keysOf } from "@/server/ground/records";
import { ExceptionDialog } from "./exceptions";

type Story = Outputs["detections"]["alert"];
const STATES = keysOf(ALERT_STATE_LABEL).map((value) => ({ value, label: ALERT_STATE_LABEL[value] }));
const NOBODY = "";
const REASONS = keysOf(REASON_LABEL).map((value) => ({ value, label: REASON_LABEL[value] }));

/** An alert: its meaning, entries, the actor's last day, and people's reactions. */
export function AlertDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const mayChange = useCan("detections:respond");
  const { data, error } = useQuery(useTRPC().detections.alert.queryOptions({ id }));
  if (data && mayChange) return <ChangeAlert alert={data} onClose={onClose} />;
  return (
    <Modal opened onClose={onClose} title={data?.title ?? "Alert"} size={760}>
      {error && <Message tone="bad">{readErrorText(error)}</Message>}
      {data && <Parts alert={data} />}
    </Modal>
  );
}

function ChangeAlert({ alert, onClose }: { alert: Story; onClose: () => void }) {
  const trpc = useTRPC();
  const update = useMutation(
    trpc.detections.updateAlert.mutationOptions(useDone(onClose, trpc.detections.pathFilter())),
  );
  const { user } = useMe();
  const mayExcept = useCan("detections:manage") && alert.ruleId !== null;
  const [isExcepting, setIsExcepting] = useState(false);
  const { state, reason, note, assigneeId } = alert;
  const form = useForm({ state, reason: reason ?? "", note: note ?? "", assigneeId: assigneeId ?? NOBODY });
  const save = (values: typeof form.values) =>
    form.send(updateAlertInput, update, {
      ...{ id: alert.id, state: values.state, note: values.note || null },
      ...(values.state === "closed" && values.reason && { reason: values.reason }),
      ...(values.assigneeId !== (assigneeId ?? NOBODY) && { assigneeId: values.assigneeId || null }),
    });
  const people = [
    { value: NOBODY, label: "Nobody" },
    { value: user.id, label: `${user.name} (you)` },
    ...(assigneeId && assigneeId !== user.id ? [{ value: assigneeId, label: alert.assigneeName ?? "Somebody" }] : []),
  ];
  if (isExcepting) return <ExceptionDialog alert={alert} onClose={() => setIsExcepting(false)} />;
  return (
    <FormDialog form={form} title={alert.title} action="Save" size={760} onSubmit={save} onClose={onClose}>
      <Parts alert={alert} />
      <Select label="State" data={STATES} allowDeselect={false} {...form.field("state")} />
      {form.values.state === "closed" && (
        <Select label="Reason" data={REASONS} required placeholder="Why it is closed" {...form.field("reason")} />
      )}
      <Select label="Assigned to" data={people} allowDeselect={false} {...form.field("assigneeId")} />
      <Textarea label="Note" autosize minRows={2} {...form.field("note")} />
      {mayExcept && (
        <Group>
          <Button variant="default" onClick={() => setIsExcepting(true)}>
            Add exception
          </Button>
        </Group>
      )}
    </FormDialog>
  );
}

function Parts({ alert }: { alert: Story }) {
  const mayExport = useCan("audit:export");
  return (
    <Stack gap="lg">
      <Text style={{ whiteSpace: "pre-line" }}>{alert.description}</Text>
      <Text size="sm" c="dimmed">
        {alert.organization} · <When at={alert.firstAt} /> to <When at={alert.lastAt} />
        {alert.changedByName && ` · last changed by ${alert.changedByName}`}
      </Text>
      <Entries title="Entries" entries={alert.story} none="Its entries are no longer in the log." />
      {mayExport && alert.story.length > 0 && (
        <Text size="sm">
          <a className="tm-link" href={`/api/v1/detections/alerts/${alert.id}/evidence`} download>
            Download evidence
          </a>
          : a proof of each of these entries, and of no others.
        </Text>
      )}
      <Entries title={`Last day of ${alert.actorName}`} entries={alert.actorsDay} none="Nothing else." />
    </Stack>
  );
}

function Entries({ title, entries, none }: { title: string; entries: readonly Entry[]; none: string }) {
  return (
    <section aria-label={title}>
      <Text fw={600}>{title}</Text>
      {entries.length === 0 && <Text size="sm">{none}</Text>}
      <ul className="tm-bullets">
        {entries.map((entry) => (
          <li key={entry.id}>
            <EntrySentence entry={entry} />
            {", "}
            <PageLink className="tm-link" href={`/?row=${entry.id}`}>
              <When at={entry.timestamp} />
            </PageLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
