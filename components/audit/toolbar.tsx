"use client";

import { ActionIcon, Button } from "@mantine/core";
import { Download, ListFilter, RefreshCw } from "lucide-react";
import type { RefObject } from "react";
import { Tip } from "@/components/ui/popover/tip";
import type { View } from "./filters/address";
import { FROM_START, type SetView } from "./filters/address";
import { CopyLink } from "./filters/copy-link";
import type { Input } from "./filters/list-input";
import { RangeMenu } from "./filters/range-menu";
import { SearchBox } from "./filters/search-box";
import { LiveToggle } from "./live/live-toggle";
import { ColumnMenu } from "./table/column-menu";
import type { TableLook } from "./table/table-look";
import classes from "./viewer.module.css";
import { SavedViews } from "./views/saved-views";

type Props = {
  view: View;
  setView: SetView;
  input: Input;
  look: TableLook;
  now: Date;
  searchRef: RefObject<HTMLInputElement | null>;
  isBusy: boolean;
  onRefresh: () => void;
  onExport: (() => void) | null;
};

/** What narrows the list and what can be done with it. */
export function Toolbar({ view, setView, input, look, now, searchRef, isBusy, onRefresh, onExport }: Props) {
  return (
    <div className={classes.toolbar}>
      <SearchBox view={view} setView={setView} input={input} searchRef={searchRef} />
      <RangeMenu view={view} onRange={(range) => setView({ ...range, ...FROM_START })} now={now} />
      <Button
        variant="default"
        aria-pressed={view.facets}
        onClick={() => setView({ facets: !view.facets }, { history: "replace" })}
        leftSection={<ListFilter size={15} aria-hidden />}
      >
        Filters
      </Button>
      <SavedViews view={view} setView={setView} />
      <ColumnMenu look={look} />
      <LiveToggle view={view} setView={setView} />
      <Tip label="Look for newer entries">
        <ActionIcon size={36} variant="default" aria-label="Refresh" onClick={onRefresh} loading={isBusy}>
          <RefreshCw size={15} aria-hidden />
        </ActionIcon>
      </Tip>
      <CopyLink view={view} now={now} />
      {onExport && (
        <Button variant="default" onClick={onExport} leftSection={<Download size={15} aria-hidden />}>
          Export
        </Button>
      )}
    </div>
  );
}
