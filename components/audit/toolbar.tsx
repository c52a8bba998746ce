"use client";

import { ActionIcon, Button, Kbd, TextInput } from "@mantine/core";
import { CircleHelp, Download, RefreshCw, Search } from "lucide-react";
import { type FormEvent, type RefObject, useEffect, useState } from "react";
import { Tip } from "../shell/tip";
import { FilterMenu } from "./filter-menu";
import type { View } from "./filters";
import { parseQuery } from "./query-text";
import { RangeMenu } from "./range-menu";
import { SavedViews } from "./saved-views";
import classes from "./viewer.module.css";

export type SetView = (change: Partial<View>, options?: { history?: "push" | "replace"; scroll?: boolean }) => unknown;

type Props = {
  view: View;
  setView: SetView;
  now: Date;
  searchRef: RefObject<HTMLInputElement | null>;
  isBusy: boolean;
  onRefresh: () => void;
  onExport: (() => void) | null;
  onHelp: () => void;
};

/** Search box, range, filters. What is typed counts on Enter: the log is not searched for every letter. */
export function Toolbar({ view, setView, now, searchRef, isBusy, onRefresh, onExport, onHelp }: Props) {
  const [typed, setTyped] = useState(view.q ?? "");
  useEffect(() => setTyped(view.q ?? ""), [view.q]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = parseQuery(typed);
    const without = [view.without, parsed.without].filter(Boolean).join(",") || null;
    setView({ ...parsed, without, cursor: null, row: null });
    setTyped(parsed.q ?? "");
  };
  return (
    <div className={classes.toolbar}>
      <search className={classes.search}>
        <form onSubmit={submit}>
          <TextInput
            ref={searchRef}
            aria-label="Search the audit log"
            placeholder="Search, or actor: action: resource: result:"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
            leftSection={<Search size={15} aria-hidden />}
            rightSection={<Kbd size="xs">/</Kbd>}
            maxLength={255}
            enterKeyHint="search"
          />
        </form>
      </search>
      <RangeMenu view={view} setView={setView} now={now} />
      <FilterMenu view={view} setView={setView} />
      <SavedViews view={view} setView={setView} />
      <Tip label="Look for newer entries">
        <ActionIcon size={36} variant="default" aria-label="Refresh" onClick={onRefresh} loading={isBusy}>
          <RefreshCw size={15} aria-hidden />
        </ActionIcon>
      </Tip>
      {onExport && (
        <Button variant="default" onClick={onExport} leftSection={<Download size={15} aria-hidden />}>
          Export
        </Button>
      )}
      <Tip label="Keyboard">
        <ActionIcon size={36} aria-label="Keyboard help" onClick={onHelp} visibleFrom="sm">
          <CircleHelp size={16} aria-hidden />
        </ActionIcon>
      </Tip>
    </div>
  );
}
