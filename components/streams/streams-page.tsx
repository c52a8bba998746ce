"use client";

import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import Link from "next/link";
import { useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { PageLink } from "@/components/ui/links/page-link";
import { PageHeader } from "@/components/ui/page-header";
import { usePage } from "@/components/ui/paged-list";
import { RecordSection } from "@/components/ui/record-section";
import type { Stream } from "@/server/notify/streams/schema";
import { ChoiceCards } from "./choice-cards";
import { destinationText, lagText, StreamState } from "./stream-state";

const TITLE = "Data streams";
const LEAD =
  "Send entries to where they are watched and kept, as soon as they are recorded. A stream stops rather than lose an entry.";
const POLL_MS = 10_000;

/** Streams of the caller's organizations with their state; without any, the choices for a new one. */
export function StreamsPage() {
  const { orgId, nameOf } = useOrg();
  const [page, setPage] = usePage();
  const list = useQuery(
    useTRPC().streams.list.queryOptions(
      { page, orgId },
      { placeholderData: keepPreviousData, refetchInterval: POLL_MS },
    ),
  );
  if (list.data?.pagination.total === 0)
    return (
      <>
        <PageHeader title={TITLE} lead={LEAD} />
        <ChoiceCards />
      </>
    );
  return (
    <RecordSection
      level="page"
      title={TITLE}
      lead={LEAD}
      what="the data streams"
      list={list}
      onPage={setPage}
      columns={[
        {
          header: "Stream",
          cell: (stream) => (
            <PageLink className="tm-link" href={hrefOf(stream)}>
              {stream.name}
            </PageLink>
          ),
          note: destinationText,
        },
        { header: "Organization", cell: (s) => (s.orgId ? nameOf(s.orgId) : "All organizations"), width: 160 },
        { header: "State", cell: (s) => <StreamState state={s.state} />, width: 110 },
        { header: "Lag", cell: lagText, width: 220 },
        {
          header: "Last acknowledged",
          cell: ({ acknowledgedAt }) => <When at={acknowledgedAt} />,
          width: 196,
          minor: true,
        },
      ]}
      buttons={
        <Button component={Link} href="/settings/streams/new" leftSection={<Plus size={15} aria-hidden />}>
          New stream
        </Button>
      }
      empty={{ title: "No data streams" }}
    />
  );
}

/** A draft continues in the wizard. */
const hrefOf = ({ id, state }: Stream): string =>
  state === "draft" ? `/settings/streams/new?draft=${id}&step=check` : `/settings/streams/${id}`;
