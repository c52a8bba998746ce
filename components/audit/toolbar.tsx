"use client";

import { ActionIcon, Button } from "@mantine/core";
import { ChartColumn, Download, ListFilter, RefreshCw } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { Tip } from "@/components/ui/popover/tip";
import { FROM_START } from "./filters/address";
import { CopyLink } from "./filters/copy-link";
import { RangeMenu } from "./filters/range-menu";
import { RangeSteps } from "./filters/range-steps";
import { LiveToggle } from "./live/live-toggle";
import { SearchBox } from "./search/search-box";
import { ColumnMenu } from "./table/column-menu";
import type { TableSettings } from "./table/table-settings";
import classes from "./viewer.module.css";
import { useViewer } from "./viewer-context";
import { SavedViews } from "./views/saved-views";

type Props = {
  settings: TableSettings;
  /** The histogram, which is folded away on phones. */
  chart: { isShown: boolean; toggle: () => void };
  search: RefObject<HTMLInputElement | null>;
  isBusy: boolean;
  onRefresh: () => void;
  onExport: (() => void) | null;
  print: ReactNode;
};

/** Search, filters, and actions on the list. */
export function Toolbar({ settings, chart, search, isBusy, onRefresh, onExport, print }: Props) {
  const { view, setView, now } = useViewer();
  return (
    <div className={classes.toolbar}>
      <SearchBox searchRef={search} />
      <div className={classes.controls}>
        <RangeMenu view={view} onRange={(range) => setView({ ...range, ...FROM_START })} now={now} />
        <RangeSteps />
        <Button
          variant="default"
          aria-pressed={view.facets}
          onClick={() => setView({ facets: !view.facets }, { history: "replace" })}
          leftSection={<ListFilter size={15} aria-hidden />}
        >
          Filters
        </Button>
        <SavedViews />
        <ColumnMenu settings={settings} />
        <Button
          variant="default"
          className={classes.phone}
          aria-pressed={chart.isShown}
          onClick={chart.toggle}
          leftSection={<ChartColumn size={15} aria-hidden />}
        >
          Over time
        </Button>
        <LiveToggle />
        <Tip label="Load newer entries">
          <ActionIcon size={36} variant="default" aria-label="Refresh" onClick={onRefresh} loading={isBusy}>
            <RefreshCw size={15} aria-hidden />
          </ActionIcon>
        </Tip>
        <CopyLink />
        {print}
        {onExport && (
          <Button variant="default" onClick={onExport} leftSection={<Download size={15} aria-hidden />}>
            Export
          </Button>
        )}
      </div>
    </div>
  );
}
