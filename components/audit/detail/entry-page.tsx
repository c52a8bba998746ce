"use client";

import { useQuery } from "@tanstack/react-query";
import { PinBar } from "@/components/audit/compare/pin-bar";
import { PinButton } from "@/components/audit/compare/pin-button";
import { useTRPC } from "@/components/trpc";
import { BackLink } from "@/components/ui/links/back-link";
import { Failure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { EntryDetail } from "./entry-detail";
import classes from "./entry-detail.module.css";
import { useEntryKeys } from "./entry-keys";
import { Neighbours } from "./neighbours";

/** One entry on its own page; the target of copied links. */
export function EntryPage({ id }: { id: string }) {
  const entry = useQuery(useTRPC().audit.get.queryOptions({ id }));
  useEntryKeys(id);
  return (
    <div className={classes.page}>
      <BackLink href="/">Audit log</BackLink>
      {entry.data && (
        <div className={classes.acts}>
          <PinButton id={id} />
        </div>
      )}
      {entry.data && <EntryDetail entry={entry.data} level={1} />}
      {entry.data && <Neighbours id={id} />}
      {entry.isError && <PageHeader title="Audit entry" />}
      {entry.isError && <Failure error={entry.error} onRetry={() => void entry.refetch()} what="this entry" />}
      <PinBar openId={id} />
    </div>
  );
}
