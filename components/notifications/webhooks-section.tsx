"use client";

import { Button, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useMe, useOmissionNote, useOrg } from "@/components/account/org";
import { counted } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { Message } from "@/components/ui/message";
import { errorText, Notice } from "@/components/ui/notice";
import { PagedList } from "@/components/ui/paged-list";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { RowButton } from "@/components/ui/row-button";
import { Section } from "@/components/ui/section";
import { StateTag } from "@/components/ui/state-tag";
import type { Webhook } from "@/server/notify/webhooks/schema";

const WebhookDialog = dynamic(() => import("./webhook-dialog").then((m) => m.WebhookDialog), { ssr: false });
const RotateWebhook = dynamic(() => import("./rotate-webhook").then((m) => m.RotateWebhook), { ssr: false });

const NEEDS_FULL_ACCESS = "this webhook is for all organizations, and you have access to chosen ones only";

type Open = { what: "new" } | { what: "edit" | "rotate" | "delete"; webhook: Webhook };

const LEAD =
  "Messages are signed as Standard Webhooks specifies, with one message per kind, however many organizations it concerns.";

/** Endpoints to which notifications are posted. */
export function WebhooksSection() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { orgId, nameOf } = useOrg();
  const { allOrganizations } = useMe();
  const leftOut = useOmissionNote({
    theirs: "Webhooks of your service provider",
    ours: "Webhooks for all organizations",
  });
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<Open | null>(null);
  const list = useQuery(trpc.webhooks.list.queryOptions({ page, orgId }));
  const refresh = () =>
    Promise.all([
      cache.invalidateQueries(trpc.webhooks.pathFilter()),
      cache.invalidateQueries(trpc.deliveries.pathFilter()),
    ]);
  const test = useMutation(trpc.webhooks.test.mutationOptions({ onSuccess: refresh }));
  const update = useMutation(trpc.webhooks.update.mutationOptions({ onSuccess: refresh }));
  const remove = useMutation(trpc.webhooks.remove.mutationOptions({ onSuccess: refresh }));
  const failed = test.error ?? update.error;
  const close = () => setOpen(null);
  const columns: Column<Webhook>[] = [
    { header: "Name", cell: NameAndHost },
    { header: "Organization", cell: (w) => (w.orgId ? nameOf(w.orgId) : "All organizations"), width: 160 },
    { header: "Kinds", cell: (w) => counted(w.kinds.length, "kind"), width: 80, minor: true },
    { header: "State", cell: StateOf, width: 120 },
    {
      header: "Actions",
      width: 340,
      align: "end",
      cell: (webhook) => (
        <Actions
          webhook={webhook}
          whyNot={webhook.orgId === null && !allOrganizations ? NEEDS_FULL_ACCESS : undefined}
          onOpen={(what) => setOpen({ what, webhook })}
          onTest={() => test.mutate({ id: webhook.id })}
          onSwitch={() => update.mutate({ id: webhook.id, disabled: !webhook.disabledAt })}
        />
      ),
    },
  ];
  return (
    <Section
      title="Webhooks"
      lead={leftOut ? `${LEAD} ${leftOut}` : LEAD}
      action={<Button onClick={() => setOpen({ what: "new" })}>New webhook</Button>}
      flush
    >
      {failed && <Message tone="bad">{errorText(failed)}</Message>}
      <PagedList
        query={list}
        what="the webhooks"
        empty={<Notice title="No webhooks yet">Create one to send notifications to another system.</Notice>}
        onPage={setPage}
      >
        {(rows, isStale) => (
          <RecordTable caption="Webhooks" columns={columns} rows={rows} rowKey={(w) => w.id} isStale={isStale} />
        )}
      </PagedList>
      {open?.what === "new" && <WebhookDialog onClose={close} />}
      {open?.what === "edit" && <WebhookDialog webhook={open.webhook} onClose={close} />}
      {open?.what === "rotate" && <RotateWebhook webhook={open.webhook} onClose={close} />}
      {open?.what === "delete" && (
        <Confirm
          title={`Delete ${open.webhook.name}`}
          action="Delete webhook"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ id: open.webhook.id }, { onSuccess: close })}
          onClose={close}
        >
          Nothing more is sent to it, and its delivery log is deleted. This cannot be undone.
        </Confirm>
      )}
    </Section>
  );
}

type ActionsProps = {
  webhook: Webhook;
  whyNot: string | undefined;
  onOpen: (what: "edit" | "rotate" | "delete") => void;
  onTest: () => void;
  /** Toggles between enabled and disabled. */
  onSwitch: () => void;
};

function Actions({ webhook: { name, disabledAt }, whyNot, onOpen, onTest, onSwitch }: ActionsProps) {
  const change = disabledAt ? "Enable" : "Disable";
  return (
    <>
      {!disabledAt && (
        <RowButton disabledReason={whyNot} label={`Send a test message to ${name}`} onClick={onTest}>
          Test
        </RowButton>
      )}
      <RowButton disabledReason={whyNot} label={`Edit ${name}`} onClick={() => onOpen("edit")}>
        Edit
      </RowButton>
      <RowButton disabledReason={whyNot} label={`Rotate the secret of ${name}`} onClick={() => onOpen("rotate")}>
        Rotate
      </RowButton>
      <RowButton disabledReason={whyNot} label={`${change} ${name}`} onClick={onSwitch}>
        {change}
      </RowButton>
      <RowButton disabledReason={whyNot} label={`Delete ${name}`} onClick={() => onOpen("delete")}>
        Delete
      </RowButton>
    </>
  );
}

function NameAndHost({ name, url }: Webhook) {
  return (
    <>
      <div>{name}</div>
      <Text size="xs" c="dimmed" fw={400} style={{ overflowWrap: "anywhere" }}>
        {new URL(url).host}
      </Text>
    </>
  );
}

function StateOf({ disabledAt, disabledByFailure, failingSince }: Webhook) {
  if (disabledAt)
    return <StateTag tone={disabledByFailure ? "bad" : "off"}>{disabledByFailure ? "Failed" : "Disabled"}</StateTag>;
  return failingSince ? <StateTag tone="warn">Failing</StateTag> : <StateTag tone="good">Enabled</StateTag>;
}
