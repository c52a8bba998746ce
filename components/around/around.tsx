"use client";

import { Button } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { sentenceText } from "@/components/audit/entry";
import { counted } from "@/components/format/amounts";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { BackLink } from "@/components/ui/links/back-link";
import { Failure, Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { RecordTable } from "@/components/ui/record-table";
import { DEFAULT_AROUND_LIMIT, MAX_AROUND_LIMIT } from "@/server/devices/timeline/vocabulary";
import classes from "./around.module.css";
import { aroundParsers, minutesOf } from "./around-params";
import { type AroundPage, columnsFor, isCurrentEntry } from "./around-rows";
import { AroundTools } from "./around-tools";

/** Everything that happened around an entry, from all logs, in chronological order. */
export function Around({ id }: { id: string }) {
  const [params, setView] = useQueryStates(aroundParsers, { history: "push" });
  const view = { ...params, minutes: minutesOf(params.minutes) };
  const [limit, setLimit] = useState(DEFAULT_AROUND_LIMIT);
  const query = useQuery(
    useTRPC().audit.around.queryOptions({ id, ...view, limit }, { placeholderData: keepPreviousData }),
  );
  return (
    <>
      <BackLink href={`/audit/${id}`}>The entry</BackLink>
      {query.data ? (
        <Lead page={query.data} minutes={view.minutes} />
      ) : (
        <PageHeader title="Everything around this moment" />
      )}
      {query.isError && (
        <Failure error={query.error} onRetry={() => void query.refetch()} what="the entries around it" />
      )}
      {query.data && (
        <>
          <AroundTools view={view} page={query.data} onChange={(change) => void setView(change)} />
          <Items page={query.data} isStale={query.isPlaceholderData} />
          <More page={query.data} limit={limit} onMore={() => setLimit(MAX_AROUND_LIMIT)} />
        </>
      )}
    </>
  );
}

function Lead({ page, minutes }: { page: AroundPage; minutes: number }) {
  const { zone } = useZone();
  const { entry, device } = page;
  return (
    <PageHeader
      title="Everything around this moment"
      lead={
        <>
          {counted(minutes, "minute")} before and after {dateTime(entry.timestamp, zone)} (
          {zoneName(zone, entry.timestamp)}): {sentenceText(entry).replace(/\.$/, "")}.
          {device?.isKnown && (
            <>
              {" "}
              <Link
                className="tm-link"
                href={`/devices/${device.id}?tab=timeline&around=${entry.timestamp}&within=${minutes}`}
              >
                Timeline of {device.hostname}
              </Link>
            </>
          )}
        </>
      }
    />
  );
}

function Items({ page, isStale }: { page: AroundPage; isStale: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const entryId = page.entry.id;
  useEffect(() => {
    if (entryId) box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }, [entryId]);
  const others = page.data.length - 1;
  return (
    <div ref={box}>
      <div className={classes.more}>
        <p role="status">
          {others === 0
            ? "Nothing else in these minutes shares any of these with the entry, in the chosen logs"
            : `${counted(others, "other")} in these minutes`}
          {(page.hasNewer || page.hasOlder) && "; only the closest are shown"}
        </p>
      </div>
      {page.leftOut.length > 0 && page.device && (
        <Notice title="The device's logs are not shown">You don't have permission to read devices.</Notice>
      )}
      <RecordTable
        caption={`Everything around the entry, newest first`}
        columns={columnsFor(page)}
        rows={page.data}
        rowKey={({ item }) => `${item.source} ${item.key}`}
        isCurrent={(row) => isCurrentEntry(row, page)}
        isStale={isStale}
      />
    </div>
  );
}

function More({ page, limit, onMore }: { page: AroundPage; limit: number; onMore: () => void }) {
  if (!page.hasNewer && !page.hasOlder) return null;
  const where = [page.hasNewer && "after", page.hasOlder && "before"].filter(Boolean).join(" and ");
  return (
    <div className={classes.more}>
      <p>
        Only the closest {limit} {where} it are shown.
      </p>
      {limit < MAX_AROUND_LIMIT ? (
        <Button variant="default" onClick={onMore}>
          Show up to {MAX_AROUND_LIMIT} on each side
        </Button>
      ) : (
        <p>To see all of them, choose fewer minutes or fewer things in common.</p>
      )}
    </div>
  );
}
