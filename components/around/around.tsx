"use client";

import { Button, Chip, Group, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsArrayOf, parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { SourceChips, COLUMNS as TIMELINE } from "@/components/devices/timeline/timeline-rows";
import { counted } from "@/components/format/amounts";
import { offset } from "@/components/format/offset";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { type Outputs, useTRPC } from "@/components/trpc";
import { BackLink } from "@/components/ui/links/back-link";
import { Notice, QueryFailure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { actorOf, sentenceText } from "@/server/audit/sentence";
import {
  AROUND_MINUTES,
  DEFAULT_AROUND_LIMIT,
  DEFAULT_AROUND_MINUTES,
  MAX_AROUND_LIMIT,
  TIE_LABEL,
  TIES,
  TIMELINE_SOURCES,
  type Tie,
  type TimelineSource,
  USUAL_TIES,
} from "@/server/devices/timeline/vocabulary";

/** The page's URL parameters: /audit/ID/around?minutes=15&ties=actor,address */
const aroundParsers = {
  minutes: parseAsInteger,
  ties: parseAsArrayOf(parseAsStringLiteral(TIES)).withDefault([...USUAL_TIES]),
  sources: parseAsArrayOf(parseAsStringLiteral(TIMELINE_SOURCES)).withDefault([...TIMELINE_SOURCES]),
};

/** One of the offered values; anything else becomes the default. */
const minutesOf = (minutes: number): number => AROUND_MINUTES.find((one) => one === minutes) ?? DEFAULT_AROUND_MINUTES;

type AroundPage = Outputs["audit"]["around"];
type AroundItem = AroundPage["data"][number];

const SHARED_TIE: Record<Tie, string> = {
  session: "session",
  actor: "actor",
  address: "address",
  device: "device",
  organization: "organization",
};

const isCurrentEntry = ({ item }: AroundItem, { entry }: AroundPage): boolean =>
  item.source === "audit" && item.entry.id === entry.id;

/** Values shared by an item and the entry; the organization is mentioned only when nothing else matches. */
function sharedAttributes({ ties }: AroundItem): string {
  const closer = ties.filter((tie) => tie !== "organization");
  return (closer.length > 0 ? closer : ties).map((tie) => SHARED_TIE[tie]).join(", ");
}

/** A device timeline's columns, plus the distance in time and the attributes shared with the entry. */
function columnsFor(page: AroundPage): Column<AroundItem>[] {
  const [time, ...rest] = TIMELINE.map(
    ({ cell, note, ...column }): Column<AroundItem> => ({
      ...column,
      cell: ({ item }) => cell(item),
      ...(note && { note: ({ item }) => note(item) }),
    }),
  );
  return [
    ...(time ? [time] : []),
    {
      header: "Offset",
      width: 132,
      cell: (row) =>
        isCurrentEntry(row, page) ? (
          <b>This entry</b>
        ) : (
          <span className="tm-quiet">{offset(row.item.at, page.entry.timestamp)}</span>
        ),
    },
    ...rest,
    {
      header: "Same",
      width: 168,
      cell: (row) => <span className="tm-quiet">{isCurrentEntry(row, page) ? "" : sharedAttributes(row)}</span>,
    },
  ];
}

type View = { minutes: number; ties: Tie[]; sources: TimelineSource[] };
type Props = { view: View; page: AroundPage; onChange: (change: Partial<View>) => void };

/** The entry's value for a tie, as text. */
function commonValue(tie: Tie, { entry, device }: AroundPage): string {
  if (tie === "actor") {
    // Actors with the same display name (System, agents without a device) are distinguished by their reported id.
    const { rawActorId: id } = entry.details;
    return typeof id === "string" && id !== actorOf(entry) ? `: ${actorOf(entry)} (${id})` : `: ${actorOf(entry)}`;
  }
  if (tie === "address") return `: ${entry.ipAddress}`;
  if (tie === "device") return `: ${device?.hostname ?? ""}`;
  return "";
}

/** Chips that set the time span, the shared attributes and the source logs. */
function AroundTools({ view, page, onChange }: Props) {
  const hasLogs = page.device?.isKnown && view.ties.includes("device");
  return (
    <Group gap="8px 16px" px="edge" pb="md" data-screen>
      <Chip.Group value={String(view.minutes)} onChange={(value) => onChange({ minutes: Number(value) })}>
        <Group gap={6} role="radiogroup" aria-label="Minutes before and after">
          {AROUND_MINUTES.map((minutes) => (
            <Chip key={minutes} value={String(minutes)}>
              ± {minutes} min
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Chip.Group
        multiple
        value={view.ties}
        onChange={(values) => values.length > 0 && onChange({ ties: TIES.filter((tie) => values.includes(tie)) })}
      >
        <Group gap={6} role="group" aria-label="Same as the entry">
          {TIES.filter((tie) => page.ties.includes(tie)).map((tie) => (
            <Chip key={tie} value={tie}>
              {TIE_LABEL[tie]}
              {commonValue(tie, page)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {hasLogs && <SourceChips sources={view.sources} onChange={(sources) => onChange({ sources })} />}
    </Group>
  );
}

/**
 * Everything that happened around an entry, from all logs, in chronological order. Until minutes are chosen, they widen
 * step by step while nothing else is found.
 */
export function Around({ id }: { id: string }) {
  const [params, setView] = useQueryStates(aroundParsers, { history: "push" });
  const [widened, setWidened] = useState<number>(DEFAULT_AROUND_MINUTES);
  const isChosen = params.minutes !== null;
  const view = { ...params, minutes: params.minutes === null ? widened : minutesOf(params.minutes) };
  const [limit, setLimit] = useState(DEFAULT_AROUND_LIMIT);
  const query = useQuery(
    useTRPC().audit.around.queryOptions({ id, ...view, limit }, { placeholderData: keepPreviousData }),
  );
  const wider = AROUND_MINUTES.find((minutes) => minutes > widened);
  if (!isChosen && wider && query.data?.data.length === 1 && !query.isPlaceholderData) setWidened(wider);
  return (
    <>
      <BackLink href={`/audit/${id}`}>The entry</BackLink>
      {query.data ? (
        <Lead page={query.data} minutes={view.minutes} />
      ) : (
        <PageHeader title="Everything around this moment" />
      )}
      <QueryFailure query={query} what="the entries around it" />
      {query.data && (
        <>
          <AroundTools view={view} page={query.data} onChange={(change) => void setView(change)} />
          <Items page={query.data} minutes={view.minutes} isStale={query.isPlaceholderData} />
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

function Items({ page, minutes, isStale }: { page: AroundPage; minutes: number; isStale: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const entryId = page.entry.id;
  useEffect(() => {
    if (entryId) box.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }, [entryId]);
  const others = page.data.length - 1;
  return (
    <div ref={box}>
      <Text size="sm" c="dimmed" px="edge" py="md" role="status">
        {others === 0
          ? `Nothing else within ${counted(minutes, "minute")}`
          : `${counted(others, "other")} within ${counted(minutes, "minute")}`}
        {(page.hasNewer || page.hasOlder) && "; only the closest are shown"}
      </Text>
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
    <Group gap="8px 16px" px="edge" py="md" fz="sm" c="dimmed">
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
    </Group>
  );
}
