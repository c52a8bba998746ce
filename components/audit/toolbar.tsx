"use client";

import { ActionIcon, Button } from "@mantine/core";
import { ChartColumn, Download, ListFilter, RefreshCw } from "lucide-react";
import { Tip } from "@/components/ui/popover/tip";
import { CopyLink } from "./filters/copy-link";
import { RangeMenu } from "./filters/range-menu";
import { RangeSteps } from "./filters/range-steps";
import { LiveToggle } from "./live/live-toggle";
import { PrintButton } from "./print/print-button";
import { SearchBox } from "./search/search-box";
import { FROM_START } from "./state/view";
import { useViewer } from "./state/viewer-context";
import { ColumnMenu } from "./table/column-menu";
import classes from "./viewer.module.css";
import { SavedViews } from "./views/saved-views";

/** showsChart: whether the histogram is unfolded, on a phone. */
type Props = { showsChart: boolean; onChart: () => void };

/** Search, filters, and actions on the list. */
export function Toolbar({ showsChart, onChart }: Props) {
  const { view, setView, audit, exporting } = useViewer();
  return (
    <div className={classes.toolbar}>
      <SearchBox />
      <div className={classes.controls}>
        <RangeMenu view={view} onRange={(range) => setView({ ...range, ...FROM_START })} />
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
        <ColumnMenu />
        <Button
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
            size={36}
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
          <Button variant="default" onClick={exporting.begin} leftSection={<Download size={15} aria-hidden />}>
            Export
          </Button>
        )}
      </div>
    </div>
  );
}
