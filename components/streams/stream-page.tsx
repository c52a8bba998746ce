"use client";

import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useCan, useMe, useOrgName } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { Facts } from "@/components/ui/facts";
import { Figures } from "@/components/ui/figures";
import { BackLink } from "@/components/ui/links/back-link";
import { errorText, Failure, Message } from "@/components/ui/notice";
import { PageHeader, Section } from "@/components/ui/page-header";
import { useInvalidation } from "@/components/use-invalidation";
import type { Stream } from "@/server/notify/streams/schema";
import { STREAM_FORMATS } from "@/server/notify/streams/vocabulary";
import { Batches, Gaps } from "./batches";
import { CheckResult } from "./check-result";
import { toText } from "./filter-text";
import { destinationText, lagText, StreamState } from "./stream-state";
import classes from "./streams.module.css";

const EditDialog = dynamic(() => import("./stream-dialogs").then((m) => m.EditDialog), { ssr: false });
const ReplayDialog = dynamic(() => import("./stream-dialogs").then((m) => m.ReplayDialog), { ssr: false });
const RotateDialog = dynamic(() => import("@/components/ui/dialogs/rotate-dialog").then((m) => m.RotateDialog), {
  ssr: false,
});
const AuditHistory = dynamic(() => import("@/components/audit/audit-history").then((m) => m.AuditHistory), {
  ssr: false,
});

const POLL_MS = 5_000;

/** One stream: state, deliveries, gaps, and history. */
export function StreamPage({ id }: { id: string }) {
  const query = useQuery(useTRPC().streams.get.queryOptions({ id }, { refetchInterval: POLL_MS }));
  const mayRead = useCan("audit:read");
  const stream = query.data;
  if (!stream)
    return (
      <>
        <PageHeader title="Data stream" />
        {query.isError ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} what="this stream" />
        ) : (
          <div role="status" aria-label="Loading the stream">
            <Skeleton height={28} width={280} m={24} />
          </div>
        )}
      </>
    );
  return (
    <>
      <Head stream={stream} />
      <Numbers stream={stream} />
      <Section title="Settings">
        <Settings stream={stream} />
      </Section>
      <Batches stream={stream} />
      <Gaps stream={stream} />
      {mayRead && (
        <Section title="History" lead="Who changed this stream, and what it recorded." flush>
          <AuditHistory of={stream} what="stream" />
        </Section>
      )}
    </>
  );
}

/** True if the caller may change a stream: a partner's and locked ones require reach over the whole partner. */
function useMayChange({ orgId, locked }: Stream): boolean {
  const { allOrganizations } = useMe();
  return allOrganizations || (orgId !== null && !locked);
}

type Dialog = "edit" | "rotate" | "replay" | "delete" | null;

function Head({ stream }: { stream: Stream }) {
  const trpc = useTRPC();
  const stale = useInvalidation(trpc.streams.pathFilter(), trpc.audit.list.pathFilter());
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = () => setDialog(null);
  const check = useMutation(trpc.streams.check.mutationOptions(stale));
  const pause = useMutation(trpc.streams.pause.mutationOptions(stale));
  const resume = useMutation(trpc.streams.resume.mutationOptions(stale));
  const mayChange = useMayChange(stream);
  const { id, name, kind, state, config } = stream;
  const error = check.error ?? pause.error ?? resume.error;
  const isArchive = config?.archive === true;
  return (
    <>
      <BackLink href="/settings/streams">Data streams</BackLink>
      <PageHeader title={name} lead={destinationText(stream)}>
        {mayChange && (
          <Group gap="sm">
            <Button variant="default" loading={check.isPending} onClick={() => check.mutate({ id })}>
              Check
            </Button>
            {state !== "paused" && state !== "draft" && (
              <Button variant="default" loading={pause.isPending} onClick={() => pause.mutate({ id })}>
                Pause
              </Button>
            )}
            {state !== "active" && (
              <Button loading={resume.isPending} onClick={() => resume.mutate({ id })}>
                {state === "draft" ? "Start" : "Resume"}
              </Button>
            )}
            {!isArchive && (
              <Button variant="default" onClick={() => setDialog("replay")}>
                Replay
              </Button>
            )}
            {kind === "https" && (
              <Button variant="default" onClick={() => setDialog("rotate")}>
                Rotate secret
              </Button>
            )}
            <Button variant="default" onClick={() => setDialog("edit")}>
              Edit
            </Button>
            <Button variant="default" onClick={() => setDialog("delete")}>
              Delete
            </Button>
          </Group>
        )}
      </PageHeader>
      <Stack gap="md" px="edge" className={classes.messages}>
        {error && <Message tone="bad">{errorText(error)}</Message>}
        {check.data && !check.isPending && <CheckResult check={check.data} />}
        {!mayChange && <Message tone="warn">Your service provider manages this stream.</Message>}
        <Trouble stream={stream} />
      </Stack>
      {dialog === "edit" && <EditDialog stream={stream} onClose={close} />}
      {dialog === "replay" && <ReplayDialog stream={stream} onClose={close} />}
      {dialog === "rotate" && <Rotate stream={stream} onClose={close} />}
      {dialog === "delete" && <Delete stream={stream} onClose={close} />}
    </>
  );
}

function Trouble({ stream: { state, stateCode, stateMessage, nextAttemptAt } }: { stream: Stream }) {
  const reason = [stateCode && `${stateCode}:`, stateMessage].filter(Boolean).join(" ");
  if (state === "failing")
    return (
      <Message tone="warn">
        {reason} Nothing is lost; it is tried again {nextAttemptAt ? <When at={nextAttemptAt} /> : "now"}.
      </Message>
    );
  if (state === "blocked" || state === "disabled")
    return <Message tone="bad">{reason} Nothing is lost: correct the cause, then check or resume the stream.</Message>;
  return null;
}

type DialogProps = { stream: Stream; onClose: () => void };

function Rotate({ stream, onClose }: DialogProps) {
  const trpc = useTRPC();
  const rotate = useMutation(trpc.streams.rotate.mutationOptions(useInvalidation(trpc.streams.pathFilter())));
  return (
    <RotateDialog
      owner={stream}
      rotate={async (input) => (await rotate.mutateAsync(input)).secret ?? ""}
      secret={{
        label: "Signing secret",
        note: "Shown only once. Your receiver checks the signature of each batch with it.",
      }}
      onClose={onClose}
    />
  );
}

function Delete({ stream: { id, name }, onClose }: DialogProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const stale = useInvalidation(trpc.streams.list.pathFilter());
  const remove = useMutation(trpc.streams.remove.mutationOptions(stale));
  return (
    <Confirm
      title={`Delete ${name}`}
      action="Delete stream"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ id }, { onSuccess: () => router.push("/settings/streams") })}
      onClose={onClose}
    >
      The receiver gets nothing more. The position and the list of batches are deleted; the audit log keeps what was
      delivered. This cannot be undone.
    </Confirm>
  );
}

function Numbers({ stream }: { stream: Stream }) {
  const { state, stateSince, acknowledgedAt, acknowledges, orgId } = stream;
  const nameOf = useOrgName();
  return (
    <Figures
      label="The stream in numbers"
      items={[
        {
          label: "State",
          value: <StreamState state={state} />,
          note: (
            <>
              since <When at={stateSince} />
            </>
          ),
        },
        { label: "Lag", value: lagText(stream) },
        {
          label: acknowledges ? "Last acknowledged" : "Last sent",
          value: <When at={acknowledgedAt} />,
          note: acknowledges ? undefined : "this receiver acknowledges nothing",
        },
        {
          label: "Carries",
          value: orgId ? nameOf(orgId) : "All organizations",
          note: orgId ? undefined : "new ones included",
        },
      ]}
    />
  );
}

function filterText(filter: Stream["filter"]): string {
  const { text, routine, rest } = toText(filter);
  const others = Object.entries(rest).map(([name, value]) => `${name}=${String(value)}`);
  return [text, ...others, routine && "without routine agent telemetry"].filter(Boolean).join(", ") || "Every entry";
}

function Settings({ stream }: { stream: Stream }) {
  const { format, filter, holdDays, locked, orgId, checkedAt, formerUntil, createdAt, config } = stream;
  const isArchive = config?.archive === true;
  return (
    <Facts
      facts={[
        ["Entries", filterText(filter)],
        ["Format", isArchive ? "Evidence bundles with signed manifests" : STREAM_FORMATS[format].label],
        ["Retention waits", holdDays === null ? "No" : `At most ${holdDays} days`],
        ["Managed by", locked || orgId === null ? "The service provider alone" : "The organization's administrators"],
        ["Last check", <When key="checked" at={checkedAt} />],
        ...(formerUntil ? [["Former secret used until", <When key="former" at={formerUntil} />] as const] : []),
        ["Created", <When key="created" at={createdAt} />],
      ]}
    />
  );
}
