"use client";

import { useThrottledValue } from "@mantine/hooks";
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTRPCClient } from "../trpc";
import type { Input } from "./entries-query";
import type { Entry } from "./entry";
import { useArrivals } from "./live-arrivals";
import { LiveBar } from "./live-bar";
import { isFree, useHold } from "./live-hold";
import { afterLoading, arrive, joins, merged, NOTHING_NEW, type Page, release } from "./live-rows";
import { type TailMessage, useTailStream } from "./live-stream";

const PUBLISH_MS = 2_000;
/** The total is what was counted and what came since; a row that came while it was counted may count twice, until it is quiet. */
const RECOUNT_MS = 5_000;
const OVERFULL = { isOverfull: true };

export type LiveQuery = { data: Page | undefined; dataUpdatedAt: number; refetch: () => unknown };
type Props = {
  input: Input;
  list: LiveQuery & { isPlaceholderData: boolean };
  counted: Pick<LiveQuery, "dataUpdatedAt" | "refetch">;
  table: RefObject<HTMLTableElement | null>;
  isDrawerOpen: boolean;
  onChange: (tail: { entries: Entry[]; added: number } | null) => void;
};

/** The list's newest page as it is now. */
function useNewest({ q, ...input }: Input): () => Promise<Page> {
  const client = useTRPCClient();
  return () => (q ? client.audit.search.query({ ...input, q }) : client.audit.list.query(input));
}

/** Follows the log: puts new entries at the top of the list, or says how many wait while the list must not move. */
export function LiveTail({ input, list, counted, table, isDrawerOpen, onChange }: Props) {
  const [rows, setRows] = useState(NOTHING_NEW);
  const [isPaused, setPaused] = useState(false);
  const dock = useRef<HTMLDivElement>(null);
  const { hold, look } = useHold({ table, dock, isDrawerOpen });
  const isHeld = isPaused || !isFree(hold);
  const page = list.isPlaceholderData ? undefined : list.data;
  // Another question is another tail (its key); the same one in a new object must not begin anew.
  const [question] = useState(input);
  const newest = useNewest(question);

  const [loadedAt, setLoadedAt] = useState(list.dataUpdatedAt);
  const [count, setCount] = useState({ at: counted.dataUpdatedAt, arrived: 0 });
  if (page && loadedAt !== list.dataUpdatedAt) {
    setLoadedAt(list.dataUpdatedAt);
    setRows((was) => afterLoading(was, page));
  }
  if (count.at !== counted.dataUpdatedAt) setCount({ at: counted.dataUpdatedAt, arrived: rows.arrived });

  // What comes later than it was asked for is judged by how things stand then.
  const latest = useRef({ rows, page, mayMove: (): boolean => true });
  useLayoutEffect(() => {
    latest.current = { rows, page, mayMove: () => !isPaused && isFree(look()) };
  });
  const take = (entries: readonly Entry[]) => {
    const { page: under, mayMove } = latest.current;
    const isStill = !mayMove();
    setRows((was) => arrive(was, under, entries, isStill));
  };
  /** Between the list's answer and the stream's beginning, or over a long absence, rows may have been sealed. */
  const catchUp = async () => {
    void counted.refetch();
    const found = await newest().catch(() => null);
    const { rows: known, page: under } = latest.current;
    if (found && under && joins(found, known, under)) take(found.data);
    else setRows((was) => ({ ...was, ...OVERFULL }));
  };
  const state = useTailStream(question, (message: TailMessage) => {
    if (message.kind === "entries") take(message.entries);
    else void catchUp();
  });

  const reload = useEffectEvent(() => list.refetch());
  const recount = useEffectEvent(() => counted.refetch());
  const publish = useEffectEvent(onChange);
  useEffect(() => {
    if (!isHeld && rows.heldCount > 0 && latest.current.mayMove()) setRows(release);
  }, [isHeld, rows.heldCount]);
  useEffect(() => {
    if (rows.isOverfull && !isHeld) void reload();
  }, [rows.isOverfull, isHeld]);
  useEffect(() => {
    if (rows.arrived === 0) return;
    const timer = setTimeout(recount, RECOUNT_MS);
    return () => clearTimeout(timer);
  }, [rows.arrived]);

  const entries = useMemo(() => page && merged(rows, page), [rows, page]);
  const added = useThrottledValue(rows.arrived - count.arrived, PUBLISH_MS);
  useLayoutEffect(() => publish(entries ? { entries, added } : null), [entries, added]);
  useEffect(() => () => publish(null), []);
  useArrivals(table, rows.shown);

  const letIn = () => {
    window.scrollTo({ top: 0, behavior: "instant" });
    setPaused(false);
    setRows(release);
    if (rows.isOverfull) list.refetch();
  };
  return (
    <LiveBar
      state={state}
      isPaused={isPaused || hold.isScrolled}
      waiting={rows.heldCount}
      isTooMany={rows.isOverfull}
      dock={dock}
      onPause={() => (isPaused || hold.isScrolled ? letIn() : setPaused(true))}
      onLetIn={letIn}
    />
  );
}
