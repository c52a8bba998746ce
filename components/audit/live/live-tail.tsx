"use client";

import { Button, Group } from "@mantine/core";
import { useThrottledValue } from "@mantine/hooks";
import { ArrowUp } from "lucide-react";
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Entry } from "@/components/audit/entry";
import type { Input } from "@/components/audit/state/view";
import type { ViewerState } from "@/components/audit/state/viewer-state";
import { count } from "@/components/format/amounts";
import { useTRPCClient } from "@/components/trpc";
import { useKeyDown } from "@/components/ui/key-down";
import {
  addArrivals,
  afterReload,
  isContiguous,
  isFree,
  type LiveRows,
  merged,
  NOTHING_NEW,
  type Page,
  type StreamState,
  useArrivals,
  useHold,
  useMovingRange,
  useTailStream,
  withHeldShown,
} from "./live-stream";
import classes from "./live-tail.module.css";

/** Announcements to screen readers are throttled to this interval. */
const ANNOUNCE_MS = 5_000;

type LiveBarProps = {
  state: StreamState;
  /** Paused by the user, or scrolled away from the top. */
  isPaused: boolean;
  waiting: number;
  /** More entries arrived than are kept; the list will be reloaded. */
  isTooMany: boolean;
  dock: RefObject<HTMLDivElement | null>;
  onPause: () => void;
  onShowHeld: () => void;
};

const TONE = { live: "good", reconnecting: "warn", ended: "bad", connecting: "off", paused: "off" };

function waitingText({ waiting, isTooMany }: LiveBarProps): string {
  if (waiting > 0) return `${count(waiting)}${isTooMany ? "+" : ""} new`;
  return isTooMany ? "newer entries" : "";
}

function stateText(props: LiveBarProps): string {
  const { state, isPaused } = props;
  if (state.kind === "connecting") return "Connecting";
  if (state.kind === "reconnecting") return "Reconnecting";
  if (state.kind === "ended") return `Live updates ended: ${state.reason}`;
  return [isPaused ? "Paused" : "Live", waitingText(props)].filter(Boolean).join(", ");
}

const usesSpace = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest("input, textarea, select, button, summary, [role=dialog], [role=menu]"));

/** The state of the live view and the number of held entries; clicking the pill shows them. */
export function LiveBar(props: LiveBarProps) {
  const { state, isPaused, dock, onPause, onShowHeld } = props;
  const text = stateText(props);
  const spoken = useThrottledValue(text, ANNOUNCE_MS);
  const waiting = waitingText(props);
  const isActive = state.kind !== "ended";
  const shown = isPaused && state.kind === "live" ? "paused" : state.kind;
  // Space pauses and resumes, except where it already has a function.
  useKeyDown((event) => {
    if (event.key !== " " || event.ctrlKey || event.metaKey || event.altKey || usesSpace(event.target)) return;
    event.preventDefault();
    if (isActive) onPause();
  });
  const pause = useRef<HTMLButtonElement>(null);
  const showHeld = () => {
    // The pill disappears; move the focus to the nearest control.
    pause.current?.focus({ preventScroll: true });
    onShowHeld();
  };
  return (
    <>
      <Group
        gap={8}
        mih={24}
        px="edge"
        pb={8}
        fz="sm"
        c="dimmed"
        data-state={shown}
        data-tone={TONE[shown]}
        data-screen
      >
        <span className={classes.dot} aria-hidden />
        <span aria-hidden>{text}</span>
        <span role="status" className="tm-spoken">
          {spoken}
        </span>
        {isActive && (
          <button type="button" className="tm-press" onClick={onPause} ref={pause}>
            {isPaused ? "Resume" : "Pause"}
          </button>
        )}
      </Group>
      <div className={classes.dock} ref={dock} data-screen>
        {waiting && (
          <Button size="compact-md" radius={14} leftSection={<ArrowUp size={14} aria-hidden />} onClick={showHeld}>
            {waiting}
          </Button>
        )}
      </div>
    </>
  );
}

const PUBLISH_MS = 2_000;

type Counted = { dataUpdatedAt: number; refetch: () => unknown };
export type LiveTailProps = {
  viewer: ViewerState;
  list: Counted & { data: Page | undefined; isPlaceholderData: boolean };
  counted: Counted;
  table: RefObject<HTMLTableElement | null>;
  onChange: (tail: { entries: Entry[]; added: number; isHeld: boolean } | null) => void;
};

type FollowOptions = {
  filter: Input;
  input: Input;
  page: Page | undefined;
  mayMove: () => boolean;
  recount: () => unknown;
};

/** Entries that arrived since the page was loaded. mayMove decides on arrival whether to show or hold them. */
function useLiveRows({ filter, input, page, mayMove, recount }: FollowOptions) {
  const [rows, setRows] = useState<LiveRows>(NOTHING_NEW);
  const client = useTRPCClient();
  // Responses arrive later, so they must see the state of that moment.
  const latest = useRef({ rows, page, mayMove });
  useLayoutEffect(() => {
    latest.current = { rows, page, mayMove };
  });
  const addEntries = (entries: readonly Entry[]) => {
    const arrival = { entries, page: latest.current.page, isHeld: !latest.current.mayMove() };
    setRows((was) => addArrivals(was, arrival));
  };
  /** Entries may have been sealed between the list's response and the start of the stream, or during a long absence. */
  const catchUp = async () => {
    recount();
    const found = await client.audit.list.query(input).catch(() => null);
    const { rows: known, page: under } = latest.current;
    if (found && under && isContiguous(found, known, under)) addEntries(found.data);
    else setRows((was) => ({ ...was, needsReload: true }));
  };
  const state = useTailStream(filter, (message) => {
    if (message.kind === "entries") addEntries(message.entries);
    else void catchUp();
  });
  return { rows, setRows, state };
}

/**
 * The total is recounted after this much silence, because an entry that arrived during the count may be counted twice.
 */
const QUIET_MS = 5_000;

/** The number of arrived entries that the total does not include yet. */
function useUncounted(counted: LiveTailProps["counted"], arrived: number, isFollowing: boolean): number {
  const [count, setCount] = useState({ at: counted.dataUpdatedAt, arrived: 0 });
  if (count.at !== counted.dataUpdatedAt) setCount({ at: counted.dataUpdatedAt, arrived });
  const recount = useEffectEvent(() => counted.refetch());
  useEffect(() => {
    if (arrived === 0 || !isFollowing) return;
    const timer = setTimeout(recount, QUIET_MS);
    return () => clearTimeout(timer);
  }, [arrived, isFollowing]);
  return arrived - count.arrived;
}

/** Follows the log: adds new entries at the top, or reports how many are held while rows must not move. */
export function LiveTail({ viewer, list, counted, table, onChange }: LiveTailProps) {
  const { listed: input, view } = viewer;
  // The stream's filter is fixed: a different one remounts the component through its key.
  const [filter] = useState(input);
  const [isPaused, setPaused] = useState(false);
  const dock = useRef<HTMLDivElement>(null);
  const { hold, readHold } = useHold({ table, dock, isDrawerOpen: view.row !== null });
  const isHeld = isPaused || !isFree(hold);
  const page = list.isPlaceholderData ? undefined : list.data;
  const mayMove = () => !isPaused && isFree(readHold());
  const { rows, setRows, state } = useLiveRows({ filter, input, page, mayMove, recount: counted.refetch });

  const [loadedAt, setLoadedAt] = useState(list.dataUpdatedAt);
  if (page && loadedAt !== list.dataUpdatedAt) {
    setLoadedAt(list.dataUpdatedAt);
    setRows((was) => afterReload(was, page, input.from));
  }
  const showHeldNow = useEffectEvent(() => mayMove() && setRows(withHeldShown));
  const reload = useEffectEvent(() => list.refetch());
  const publish = useEffectEvent(onChange);
  useEffect(() => {
    if (!isHeld && rows.heldCount > 0) showHeldNow();
  }, [isHeld, rows.heldCount]);
  useEffect(() => {
    if (rows.needsReload && !isHeld) void reload();
  }, [rows.needsReload, isHeld]);

  const entries = useMemo(() => page && merged(rows, page), [rows, page]);
  const added = useThrottledValue(useUncounted(counted, rows.arrived, state.kind === "live"), PUBLISH_MS);
  useLayoutEffect(() => publish(entries ? { entries, added, isHeld } : null), [entries, added, isHeld]);
  useEffect(() => () => publish(null), []);
  useArrivals(table, rows.shown);
  useMovingRange(viewer, mayMove);

  const isStopped = isPaused || hold.isScrolled;
  const showHeld = () => {
    window.scrollTo({ top: 0, behavior: "instant" });
    setPaused(false);
    setRows(withHeldShown);
    if (rows.needsReload) list.refetch();
  };
  return (
    <LiveBar
      state={state}
      isPaused={isStopped}
      waiting={rows.heldCount}
      isTooMany={rows.needsReload && isHeld}
      dock={dock}
      onPause={() => (isStopped ? showHeld() : setPaused(true))}
      onShowHeld={showHeld}
    />
  );
}
