"use client";

import { NumberInput, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/account/org";
import { OrgSelect } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { CopyLine, SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { replayInput, type Stream } from "@/server/notify/streams/schema";
import { choiceOf } from "./kinds";
import { WhatFields, WhereFields } from "./stream-fields";
import { useStreamForm } from "./use-stream-form";

type Props = { stream: Stream; onClose: () => void };

/** Changes a stream. The old destination first gets all entries up to the change, then a notice. */
export function EditDialog({ stream, onClose }: Props) {
  const choice = choiceOf(stream);
  const { allOrganizations } = useMe();
  const [secret, setSecret] = useState<string | null>(null);
  const of = useStreamForm({
    choice,
    stream,
    onSaved: (saved) => (saved.secret ? setSecret(saved.secret) : onClose()),
  });
  if (secret)
    return (
      <SecretDialog title={`New secret of ${stream.name}`} onClose={onClose}>
        <CopyLine
          label="Signing secret"
          note="Shown only once. The former one is used as well for a day."
          value={secret}
        />
      </SecretDialog>
    );
  return (
    <FormDialog form={of.form} title={`Edit ${stream.name}`} action="Save" onSubmit={of.save} onClose={onClose}>
      <WhereFields choice={choice} form={of.form} isNew={false} />
      <WhatFields choice={choice} of={of} isNew={false} />
      {allOrganizations && stream.orgId && (
        <Switch
          label="Locked"
          description="Only those who reach all of your organizations may change this stream"
          {...of.form.checkbox("locked")}
        />
      )}
    </FormDialog>
  );
}

/** Sends a part of one chain again, beside the live stream. */
export function ReplayDialog({ stream, onClose }: Props) {
  const trpc = useTRPC();
  const replay = useMutation(
    trpc.streams.replay.mutationOptions(useDone(onClose, trpc.streams.pathFilter(), trpc.audit.list.pathFilter())),
  );
  const { organizations } = useMe();
  const form = useForm<Record<string, string | number>>({
    orgId: stream.orgId ?? organizations[0]?.id ?? "",
    fromSeq: 1,
    toSeq: "",
    reason: "",
  });
  const send = ({ orgId, fromSeq, toSeq, reason }: typeof form.values) =>
    form.send(replayInput, replay, {
      ...{ id: stream.id, orgId, fromSeq },
      toSeq: toSeq === "" ? undefined : toSeq,
      reason: reason || undefined,
    });
  const number = { allowDecimal: false, min: 1, required: true };
  return (
    <FormDialog form={form} title={`Replay ${stream.name}`} action="Replay" onSubmit={send} onClose={onClose}>
      {!stream.orgId && <OrgSelect {...form.field("orgId")} value={String(form.values.orgId)} />}
      <NumberInput
        label="First entry"
        description="Its number in the chain, as the entry's integrity section and the list of gaps show it"
        {...number}
        {...form.field("fromSeq")}
        data-autofocus
      />
      <NumberInput label="Last entry" {...number} {...form.field("toSeq")} />
      <TextInput label="Reason" description="For the audit log" {...form.field("reason")} />
    </FormDialog>
  );
}
