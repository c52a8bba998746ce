"use client";

import { Button, Group, Select, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Radio, X } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useCallback, useState } from "react";
import { useCan } from "@/components/account/org";
import { RangeMenu } from "@/components/audit/filters/range-menu";
import { Answered, QueryState } from "@/components/devices/live/query-state";
import { counted } from "@/components/format/amounts";
import { dateTime } from "@/components/format/time";
import { When } from "@/components/format/when";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { Notice, QueryFailure } from "@/components/ui/notice";
import { ListTools } from "@/components/ui/paged-list";
import { RecordTable } from "@/components/ui/record-table";
import { SearchField } from "@/components/ui/search-field";
import type { DeviceDetail } from "@/server/devices/schema";
import { AROUND_MINUTES } from "@/server/devices/timeline/vocabulary";
import {
  answerText,
  isWithin,
  type LiveRequest,
  matchesSearch,
  mergeLive,
  spanOf,
  type TimelineView,
  timelineParsers,
  useLiveItems,
} from "./merge-live";
import { COLUMNS, SourceChips } from "./timeline-rows";

/** Everything that happened on and to a device, from all logs, in chronological order. */
export function Timeline({ device }: { device: DeviceDetail }) {
  const [view, setView] = useQueryStates(timelineParsers, { history: "push" });
  const mayQuery = useCan("devices:live");
  const [now, setNow] = useState(() => new Date());
  const [asked, setAsked] = useState<LiveRequest | null>(null);
  const { zone } = useZone();
  const span = spanOf(view, zone, now);
  const input = {
    id: device.id,
    sources: view.sources,
    from: span.from?.toISOString(),
    to: span.to?.toISOString(),
    search: view.search ?? undefined,
  };
  const query = useInfiniteQuery(
    useTRPC().devices.timeline.infiniteQueryOptions(input, {
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
      placeholderData: keepPreviousData,
    }),
  );
  const { from, to } = input;
  // An answer for another span is hidden: its gaps would not be visible.
  const request = asked?.from === from && asked?.to === to ? asked : null;
  const live = useLiveItems(device.id, request);
  const onSearch = useCallback((search: string) => setView({ search: search || null }), [setView]);
  const pages = query.data?.pages ?? [];
  const items = mergeLive(
    pages.flatMap(({ data }) => data),
    request
      ? (live.data?.items ?? []).filter((item) => isWithin(item, span) && matchesSearch(item, view.search ?? ""))
      : [],
    !query.hasNextPage,
  );
  const leftOut = pages[0]?.leftOut ?? [];
  return (
    <>
      <ListTools pt="lg">
        <SearchField label="Search in the timeline" value={view.search ?? ""} onSearch={onSearch} />
        <SpanMenu view={view} setView={setView} onNow={() => setNow(new Date())} />
        <SourceChips sources={view.sources} onChange={(sources) => void setView({ sources })} />
        {mayQuery && (
          <Button
            variant="default"
            leftSection={<Radio size={15} aria-hidden />}
            onClick={() => setAsked({ at: new Date().toISOString(), from, to })}
          >
            Query the device now
          </Button>
        )}
      </ListTools>
      {request && (
        <QueryState live={live} what="its newest events" device={device}>
          <Answer live={live} hasEnd={to !== undefined} />
        </QueryState>
      )}
      <QueryFailure query={query} what="the timeline" />
      {leftOut.length > 0 && (
        <Notice title="Audit entries are not shown">You don't have permission to read the audit log.</Notice>
      )}
      {query.isSuccess && items.length === 0 && (
        <Notice title={view.search ? `No results for "${view.search}" in this range` : "Nothing logged in this range"}>
          Choose a longer range, or more sources.
        </Notice>
      )}
      {items.length > 0 && (
        <RecordTable
          caption={`Timeline of ${device.hostname}, newest first`}
          columns={COLUMNS}
          rows={items}
          rowKey={(item) => `${item.source} ${item.key}`}
          isStale={query.isPlaceholderData}
        />
      )}
      {query.hasNextPage && (
        <Group px="edge" py="lg">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show older
          </Button>
        </Group>
      )}
    </>
  );
}

/** The device's answer and its time. */
function Answer({ live, hasEnd }: { live: ReturnType<typeof useLiveItems>; hasEnd: boolean }) {
  const { zone } = useZone();
  if (!live.data || live.isRunning) return null;
  const at = (iso: string) => dateTime(iso, zone);
  return (
    <Text c="dimmed" px="edge" pb="lg" role="status">
      <Answered live={live} />: {answerText(live.data, { hasEnd, at })}
    </Text>
  );
}

type View = TimelineView;
type ViewProps = { view: View; setView: (change: Partial<{ [K in keyof View]: View[K] | null }>) => unknown };

/** Selects minutes around a moment, or a range. onNow: a range was selected, even the same. */
function SpanMenu({ view, setView, onNow }: ViewProps & { onNow: () => void }) {
  const { around, within, range, from, to } = view;
  if (around)
    return (
      <>
        <Select
          aria-label="Minutes around the moment"
          data={AROUND_MINUTES.map((n) => ({ value: String(n), label: `Within ${counted(n, "minute")}` }))}
          value={String(within)}
          onChange={(value) => setView({ within: Number(value) || null })}
          allowDeselect={false}
          w={180}
        />
        <Button
          variant="default"
          rightSection={<X size={14} aria-hidden />}
          onClick={() => setView({ around: null, within: null })}
        >
          <span>
            Around <When at={around.toISOString()} />
          </span>
        </Button>
      </>
    );
  return (
    <RangeMenu
      view={{ range: range === "all" || from || to ? null : range, from, to }}
      onRange={(chosen) => {
        onNow();
        const isAll = !(chosen.range || chosen.from || chosen.to);
        setView({ ...chosen, range: isAll ? "all" : chosen.range });
      }}
    />
  );
}
