"use client";

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { usePage } from "@/components/ui/paged-list";
import { RecordSection } from "@/components/ui/record-section";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import { useInvalidation } from "@/components/use-invalidation";

type Delivery = Outputs["deliveries"]["list"]["data"][number];

const PENDING_POLL_MS = 3_000;
const IDLE_POLL_MS = 60_000;

/** Messages that were or will be sent, with their delivery state. */
export function DeliveryLog() {
  const trpc = useTRPC();
  const { orgId } = useOrg();
  const [page, setPage] = usePage();
  const list = useQuery(
    trpc.deliveries.list.queryOptions(
      { page, orgId },
      {
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) =>
          state.data?.data.some(({ status }) => status === "pending") ? PENDING_POLL_MS : IDLE_POLL_MS,
      },
    ),
  );
  const resend = useMutation(trpc.deliveries.resend.mutationOptions(useInvalidation(trpc.deliveries.pathFilter())));
  return (
    <RecordSection
      level="section"
      title="Delivery log"
      lead="Messages to webhooks, and e-mail to you."
      what="the delivery log"
      list={list}
      onPage={setPage}
      columns={[
        { header: "Message", cell: (d) => d.subject, note: (d) => d.type },
        { header: "To", cell: (d) => d.target, width: 180 },
        { header: "Created", cell: (d) => <When at={d.createdAt} />, width: 180, minor: true },
        { header: "Status", cell: StatusOf, width: 220 },
        { header: "Attempts", cell: (d) => d.attempts, width: 90, align: "end" },
        { header: "Answer", cell: (d) => d.responseCode ?? "None", width: 80, align: "end", minor: true },
      ]}
      actions={{
        width: 100,
        of: ({ id, status, subject, target }) =>
          status === "pending"
            ? []
            : [{ verb: "Resend", label: `Resend: ${subject}, to ${target}`, run: () => resend.mutate({ id }) }],
      }}
      empty={{ title: "Nothing has been sent yet", text: "Send a test message to a webhook to see it here." }}
      error={resend.error}
    />
  );
}

const STATUS: Record<Delivery["status"], { tone: Tone; label: string }> = {
  delivered: { tone: "good", label: "Delivered" },
  failed: { tone: "bad", label: "Failed" },
  pending: { tone: "off", label: "Pending" },
};

function StatusOf({ status, error, nextAttemptAt, attempts }: Delivery) {
  return (
    <div>
      <StateTag tone={STATUS[status].tone}>{STATUS[status].label}</StateTag>
      {error && <small>{error}</small>}
      {status === "pending" && attempts > 0 && (
        <small>
          Next attempt: <When at={nextAttemptAt} />
        </small>
      )}
    </div>
  );
}
