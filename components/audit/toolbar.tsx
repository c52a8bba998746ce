"use client";

import { ActionIcon, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
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
import { Popover, PopoverSkeleton } from "@/components/ui/popover/popover";
import { Tip } from "@/components/ui/popover/tip";
import { CopyLink } from "./filters/copy-link";
import menusClasses from "./filters/menus.module.css";
import { RangeMenu } from "./filters/range-menu";
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
    <div className={classes.steps}>
      {steps.map(({ label, icon: Icon, span: next, isOff = false }) => (
        <Tip key={label} label={label}>
          <ActionIcon size={32} variant="default" aria-label={label} disabled={isOff} onClick={() => show(next)}>
            <Icon size={15} aria-hidden />
          </ActionIcon>
        </Tip>
      ))}
    </div>
  );
}

/** Prints all matching entries. */
function PrintButton() {
  const { isPreparing, begin } = useViewer().printing;
  return (
    <Tip label="Print all that match, or save as PDF">
      <ActionIcon size={32} variant="default" aria-label="Print" onClick={() => void begin()} loading={isPreparing}>
        <Printer size={15} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}

const DisplayMenu = dynamic(() => import("./table/display-menu").then((m) => m.DisplayMenu), {
  ssr: false,
  loading: PopoverSkeleton,
});

/** Folding, row height, and columns. */
function Display() {
  const [opened, menu] = useDisclosure(false);
  return (
    <Popover opened={opened} onClose={menu.close} width={300} align="end">
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          onClick={menu.toggle}
          leftSection={<SlidersHorizontal size={15} aria-hidden />}
        >
          Display
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={menusClasses.dropdown} aria-label="Display">
        <DisplayMenu />
      </Popover.Dropdown>
    </Popover>
  );
}

/** showsChart: whether the histogram is unfolded, on a phone. */
type Props = { showsChart: boolean; onChart: () => void };

/** The page's title, search, filters, and actions on the list in one line. */
export function Toolbar({ showsChart, onChart }: Props) {
  const { view, setView, audit, exporting } = useViewer();
  return (
    <div className={classes.toolbar} data-screen>
      <h1 className={classes.title}>Audit log</h1>
      <SearchBox />
      <div className={classes.controls}>
        <RangeMenu view={view} onRange={(range) => setView({ ...range, ...FROM_START })} />
        <RangeSteps />
        <Button
          size="xs"
          variant="default"
          aria-pressed={view.facets}
          onClick={() => setView({ facets: !view.facets }, { history: "replace" })}
          leftSection={<ListFilter size={15} aria-hidden />}
        >
          Filters
        </Button>
        <SavedViews />
        <Display />
        <Button
          size="xs"
          variant="default"
          className={classes.phone}
          aria-pressed={showsChart}
          onClick={onChart}
          leftSection={<ChartColumn size={15} aria-hidden />}
        >
          Over time
        </Button>
        <LiveToggle />
        <Tip label="Load newer entries">
          <ActionIcon
            size={32}
            variant="default"
            aria-label="Refresh"
            onClick={audit.refresh}
            loading={audit.list.isFetching}
          >
            <RefreshCw size={15} aria-hidden />
          </ActionIcon>
        </Tip>
        <CopyLink />
        <PrintButton />
        {exporting.begin && (
          <Button
            size="xs"
            variant="default"
            onClick={exporting.begin}
            leftSection={<Download size={15} aria-hidden />}
          >
            Export
          </Button>
        )}
      </div>
    </div>
  );
}
