"use client";

import { Button, Group } from "@mantine/core";
import { SearchX, Stamp } from "lucide-react";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { type FilterParam, filterParsers } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { Notice } from "@/components/ui/notice";
import { mapValues } from "@/server/ground/records";

// Most pages have entries. What has buttons from the first on is not loaded later: a press before that would be lost.
const EmptyReason = dynamic(() => import("./empty-reason").then((m) => m.EmptyReason), {
  ssr: false,
  loading: () => <p role="status">Checking which word or filter excludes everything …</p>,
});
const NOTHING = mapValues(filterParsers, () => null);
const RANGE: FilterParam[] = ["range", "from", "to"];

/** The filter that was set last: URL parameters are kept in the order in which they were set. */
function lastFilter(params: URLSearchParams): FilterParam | undefined {
  return [...params.keys()].filter((name): name is FilterParam => name in filterParsers).at(-1);
}

/** Why there are no rows: nothing has been logged yet, or nothing matches the filters. */
export function EmptyList() {
  const { view, setView } = useViewer();
  const last = lastFilter(new URLSearchParams(useSearchParams()));
  if (!last && !view.cursor)
    return (
      <Notice icon={Stamp} title="Nothing logged yet">
        Every sign-in, change and denial will appear here, linked to the one before it. No setup is needed.
      </Notice>
    );
  if (!last || view.cursor)
    return (
      <Notice
        icon={SearchX}
        title="No older entries"
        action={
          <Button variant="default" onClick={() => setView({ cursor: null })}>
            Back to the newest
          </Button>
        }
      />
    );
  const clearLast = RANGE.includes(last) ? { range: null, from: null, to: null } : { [last]: null };
  const reset = { cursor: null, row: null };
  return (
    <Notice
      icon={SearchX}
      title="Nothing matches"
      action={
        <Group gap="sm" justify="center">
          <Button variant="default" onClick={() => setView({ ...clearLast, ...reset })}>
            Clear the last filter
          </Button>
          <Button variant="subtle" color="gray" onClick={() => setView({ ...NOTHING, ...reset })}>
            Clear all
          </Button>
        </Group>
      }
    >
      <p>No entry in the range above matches every word and filter.</p>
      <EmptyReason />
    </Notice>
  );
}

/** An empty page with older entries behind it: a text too short for the index is looked for in a part of the log at a time. */
export function NoMatchYet() {
  const { view } = useViewer();
  return (
    <Notice icon={SearchX} title={`No match among ${view.cursor ? "these" : "the newest"} entries`}>
      A search of one or two letters reads a part of the log at a time. Older entries have not been searched yet.
    </Notice>
  );
}
