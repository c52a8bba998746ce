"use client";

import { ActionIcon } from "@mantine/core";
import {
  ChartColumn,
  ChevronLeft,
  ChevronRight,
  Download,
  ListFilter,
  Printer,
  RefreshCw,
  SlidersHorizontal,
  ZoomOut,
} from "lucide-react";
import dynamic from "next/dynamic";
import { useZone } from "@/components/format/zone";
import { PopoverSkeleton } from "@/components/ui/popover/popover";
import { IconButton } from "@/components/ui/popover/tip";
import { CopyLink } from "./filters/copy-link";
import { RangeMenu } from "./filters/range-menu";
import { Tool, ToolMenu } from "./filters/tool";
import { LiveToggle } from "./live/live";
import { SearchBox } from "./search/search-box";
import { type Span, shifted, widened } from "./state/range";
import { FROM_START, spanOf } from "./state/view";
import { useViewer } from "./state/viewer-context";
import classes from "./viewer.module.css";
import { SavedViews } from "./views/saved-views";

/** Moves the range back and forth by its own length, or widens it; hidden for all time. */
function RangeSteps() {
  const { view, setView, now } = useViewer();
  const { zone } = useZone();
  const span = spanOf(view, zone, now);
  if (!span.from) return null;
  const show = ({ from, to }: Span) => setView({ range: null, from: from ?? null, to: to ?? null, ...FROM_START });
  const steps = [
    { label: "Earlier", icon: ChevronLeft, span: shifted(span, -1, now) },
    { label: "Later", icon: ChevronRight, span: shifted(span, 1, now), isOff: !span.to || span.to >= now },
    { label: "Zoom out", icon: ZoomOut, span: widened(span, now) },
  ];
  return (
    <ActionIcon.Group>
      {steps.map(({ label, icon, span: next, isOff = false }) => (
        <IconButton
          key={label}
          label={label}
          icon={icon}
          variant="default"
          disabled={isOff}
          onClick={() => show(next)}
        />
      ))}
    </ActionIcon.Group>
  );
}

const DisplayMenu = dynamic(() => import("./table/display-menu").then((m) => m.DisplayMenu), {
  ssr: false,
  loading: PopoverSkeleton,
});

/** showsChart: whether the histogram is unfolded, on a phone. */
type Props = { showsChart: boolean; onChart: () => void };

/** The page's title, search, filters, and actions on the list in one line. */
export function Toolbar({ showsChart, onChart }: Props) {
  const { view, setView, audit, printing, exporting } = useViewer();
  return (
    <div className={classes.toolbar} data-screen>
      <h1 className={classes.title}>Audit log</h1>
      <SearchBox />
      <div className={classes.controls}>
        <RangeMenu view={view} onRange={(range) => setView({ ...range, ...FROM_START })} />
        <RangeSteps />
        <Tool
          icon={ListFilter}
          aria-pressed={view.facets}
          onClick={() => setView({ facets: !view.facets }, { history: "replace" })}
        >
          Filters
        </Tool>
        <SavedViews />
        <ToolMenu name="Display" icon={SlidersHorizontal} width={300} align="end">
          {() => <DisplayMenu />}
        </ToolMenu>
        <Tool icon={ChartColumn} className={classes.phone} aria-pressed={showsChart} onClick={onChart}>
          Over time
        </Tool>
        <LiveToggle />
        <IconButton
          label="Refresh"
          tip="Load newer entries"
          icon={RefreshCw}
          variant="default"
          onClick={audit.refresh}
          loading={audit.list.isFetching}
        />
        <CopyLink />
        <IconButton
          label="Print"
          tip="Print all that match, or save as PDF"
          icon={Printer}
          variant="default"
          onClick={() => void printing.begin()}
          loading={printing.isPreparing}
        />
        {exporting.begin && (
          <Tool icon={Download} onClick={exporting.begin}>
            Export
          </Tool>
        )}
      </div>
    </div>
  );
}
