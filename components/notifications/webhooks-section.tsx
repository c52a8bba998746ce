"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useMe, useOmissionNote, useOrg } from "@/components/account/org";
import { counted } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import type { SecretWords } from "@/components/ui/dialogs/rotate-dialog";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { StateTag } from "@/components/ui/state-tag";
import { useInvalidation } from "@/components/use-invalidation";
import type { Webhook } from "@/server/notify/webhooks/schema";

const WebhookDialog = dynamic(() => import("./webhook-dialog").then((m) => m.WebhookDialog), { ssr: false });
const RotateDialog = dynamic(() => import("@/components/ui/dialogs/rotate-dialog").then((m) => m.RotateDialog), {
  ssr: false,
});

const NEEDS_FULL_ACCESS = "this webhook is for all organizations, and you have access to chosen ones only";

const LEAD = "Signed (Standard Webhooks). One message per alert kind.";

const SECRET: SecretWords = {
  label: "Signing secret",
  note: "Shown only once. Your receiver checks the signature of each message with it.",
};

function useWebhookActions() {
  const trpc = useTRPC();
  const { allOrganizations } = useMe();
  const stale = useInvalidation(trpc.webhooks.pathFilter(), trpc.deliveries.pathFilter());
  const test = useMutation(trpc.webhooks.test.mutationOptions(stale));
  const update = useMutation(trpc.webhooks.update.mutationOptions(stale));
  const remove = useMutation(trpc.webhooks.remove.mutationOptions(stale));
  const rotate = useMutation(trpc.webhooks.rotate.mutationOptions(useInvalidation(trpc.webhooks.pathFilter())));
  const actionsOf = (webhook: Webhook): RowAction[] => {
    const { id, name, disabledAt } = webhook;
    const toggle = disabledAt ? "Enable" : "Disable";
    const sendTest: RowAction = {
      verb: "Test",
      label: `Send a test message to ${name}`,
      run: () => test.mutate({ id }),
    };
    const actions: RowAction[] = [
      {
        verb: "Edit",
        label: `Edit ${name}`,
        dialog: (onClose) => <WebhookDialog webhook={webhook} secret={SECRET} onClose={onClose} />,
      },
      {
        verb: "Rotate",
        label: `Rotate the secret of ${name}`,
        dialog: (onClose) => (
          <RotateDialog
            owner={webhook}
            rotate={async (input) => (await rotate.mutateAsync(input)).secret}
            secret={SECRET}
            onClose={onClose}
          />
        ),
      },
      { verb: toggle, label: `${toggle} ${name}`, run: () => update.mutate({ id, disabled: !disabledAt }) },
      {
        verb: "Delete",
        label: `Delete ${name}`,
        confirm: {
          title: `Delete ${name}`,
          text: "Nothing more is sent to it, and its delivery log is deleted. This cannot be undone.",
          action: "Delete webhook",
          by: remove,
        },
      },
    ];
    const disabledReason = webhook.orgId === null && !allOrganizations ? NEEDS_FULL_ACCESS : undefined;
    return [...(disabledAt ? [] : [sendTest]), ...actions].map((action) => ({ ...action, disabledReason }));
  };
  return { actionsOf, error: test.error ?? update.error };
}

/** Endpoints to which notifications are posted. */
export function WebhooksSection() {
  const { orgId, nameOf } = useOrg();
  const leftOut = useOmissionNote({
    theirs: "Webhooks of your service provider",
    ours: "Webhooks for all organizations",
  });
  const [page, setPage] = useState(1);
  const list = useQuery(useTRPC().webhooks.list.queryOptions({ page, orgId }));
  const { actionsOf, error } = useWebhookActions();
  return (
    <RecordSection
      level="section"
      title="Webhooks"
      lead={leftOut ? `${LEAD} ${leftOut}` : LEAD}
      what="the webhooks"
      list={list}
      onPage={setPage}
      columns={[
        { header: "Name", cell: (w) => w.name, note: (w) => new URL(w.url).host },
        { header: "Organization", cell: (w) => (w.orgId ? nameOf(w.orgId) : "All organizations"), width: 160 },
        { header: "Kinds", cell: (w) => counted(w.kinds.length, "kind"), width: 80, minor: true },
        { header: "State", cell: StateOf, width: 120 },
      ]}
      actions={{ width: 340, of: actionsOf }}
      create={{ label: "New webhook", dialog: (onClose) => <WebhookDialog secret={SECRET} onClose={onClose} /> }}
      empty={{ title: "No webhooks yet", text: "Create one to send notifications to another system." }}
      error={error}
    />
  );
}

function StateOf({ disabledAt, disabledByFailure, failingSince }: Webhook) {
  if (disabledAt)
    return <StateTag tone={disabledByFailure ? "bad" : "off"}>{disabledByFailure ? "Failed" : "Disabled"}</StateTag>;
  return failingSince ? <StateTag tone="warn">Failing</StateTag> : <StateTag tone="good">Enabled</StateTag>;
}
