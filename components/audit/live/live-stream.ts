import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import type { Entry } from "@/components/audit/entry";
import type { Input } from "@/components/audit/state/view";
import { entriesQuery, routineQuery, totalQuery } from "@/components/audit/state/view";
import type { ViewerState } from "@/components/audit/state/viewer-state";
import { useZone } from "@/components/format/zone";
import { leaveIfSignedOut } from "@/components/query-client";
import { type ApiError, useTRPC, useTRPCClient } from "@/components/trpc";
import { useListeners } from "@/components/ui/key-down";
import type { TailMessage } from "@/server/audit/tail/schema";
import { MINUTE_MS } from "@/server/ground/time/durations";

/** The maximum number of arrived rows, shown or held; beyond it the list is reloaded. */
export const MAX_LIVE_ROWS = 300;

/** A page of the list, as the query returns it. */
export type Page = { data: Entry[]; pagination: { nextCursor: string | null } };

/**
 * Entries that arrived since the page was loaded: shown in the list, or held while rows must not move. Too many held
 * ones are dropped and only counted in heldCount; needsReload then requests a reload. arrived counts every entry.
 */
export type LiveRows = { shown: Entry[]; held: Entry[]; heldCount: number; needsReload: boolean; arrived: number };

export const NOTHING_NEW: LiveRows = { shown: [], held: [], heldCount: 0, needsReload: false, arrived: 0 };

/** The list's order: by time, then position in the chain, then organization; newest first. */
function newestFirst(a: Entry, b: Entry): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? 1 : -1;
  if (a.chainSeq !== b.chainSeq) return b.chainSeq - a.chainSeq;
  return a.orgId < b.orgId ? 1 : -1;
}

const idsOf = (entries: readonly Entry[]) => new Set(entries.map((entry) => entry.id));

/** Entries that are not known yet, without duplicates. */
function newEntries(entries: readonly Entry[], known: Set<string>): Entry[] {
  return entries.filter((entry) => !known.has(entry.id) && known.add(entry.id));
}

type Arrival = { entries: readonly Entry[]; page: Page | undefined; isHeld: boolean };

export function addArrivals(rows: LiveRows, { entries, page, isHeld }: Arrival): LiveRows {
  const fresh = newEntries(entries, idsOf([...rows.shown, ...rows.held, ...(page?.data ?? [])]));
  if (fresh.length === 0) return rows;
  const arrived = rows.arrived + fresh.length;
  if (isHeld) {
    const held = [...rows.held, ...fresh];
    const needsReload = rows.needsReload || held.length > MAX_LIVE_ROWS;
    return { ...rows, held: needsReload ? [] : held, heldCount: rows.heldCount + fresh.length, needsReload, arrived };
  }
  const shown = [...rows.shown, ...fresh];
  return { ...rows, shown, needsReload: rows.needsReload || shown.length > MAX_LIVE_ROWS, arrived };
}

/** Shows the held entries. If too many arrived, the page must be reloaded instead. */
export function withHeldShown(rows: LiveRows): LiveRows {
  return { ...rows, shown: [...rows.shown, ...rows.held], held: [], heldCount: 0 };
}

/** True for an entry that belongs on this page or above it, not on an older page. */
function belongsHere(page: Page, entry: Entry): boolean {
  const last = page.data.at(-1);
  return !last || page.pagination.nextCursor === null || newestFirst(entry, last) < 0;
}

/**
 * After a reload, keeps only arrived entries that the page does not contain.
 * @param from start of the page's range, which may have moved past arrived entries
 */
export function afterReload(rows: LiveRows, page: Page, from = ""): LiveRows {
  const onPage = idsOf(page.data);
  const keep = (entries: Entry[]) =>
    entries.filter((entry) => !onPage.has(entry.id) && belongsHere(page, entry) && entry.timestamp >= from);
  const held = keep(rows.held);
  return { ...rows, shown: keep(rows.shown), held, heldCount: held.length, needsReload: false };
}

/** The page with the arrived entries, without duplicates or entries of an older page. */
export function merged({ shown }: LiveRows, page: Page): Entry[] {
  const above = shown.filter((entry) => belongsHere(page, entry));
  return above.length === 0 ? page.data : [...page.data, ...newEntries(above, idsOf(page.data))].sort(newestFirst);
}

/** True when the newest page overlaps what is known, so that nothing between them is missing. */
export const isContiguous = (newest: Page, rows: LiveRows, page: Page): boolean => {
  const known = idsOf([...page.data, ...rows.shown, ...rows.held]);
  return newest.pagination.nextCursor === null || newest.data.some((entry) => known.has(entry.id));
};

const SLIDE_MS = 140;
/** More than a screenful is not worth animating. */
const MAX_SLIDING = 30;
const FROM_ABOVE = [
  { transform: "translateY(-8px)", opacity: 0 },
  { transform: "none", opacity: 1 },
];

/** Slides rows in once as they arrive, unless the user prefers reduced motion. */
export function useArrivals(table: RefObject<HTMLTableElement | null>, shown: readonly Entry[]): void {
  const seen = useRef(new Set<string>());
  const pending = useRef<string[]>([]);
  useLayoutEffect(() => {
    pending.current.push(...shown.flatMap(({ id }) => (seen.current.has(id) ? [] : [id])));
    seen.current = new Set(shown.map(({ id }) => id));
  }, [shown]);
  // Runs after every render, because the table shows the rows one render later.
  useLayoutEffect(() => {
    if (pending.current.length === 0) return;
    const prefersReducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const arrived = pending.current.filter((id) => {
      const row = table.current?.querySelector(`[data-entry="${CSS.escape(id)}"]`)?.closest("tr");
      if (row && !prefersReducedMotion) row.animate(FROM_ABOVE, { duration: SLIDE_MS, easing: "ease-out" });
      return row;
    });
    pending.current = pending.current.filter((id) => !arrived.includes(id)).slice(-MAX_SLIDING);
  });
}

/** The height of the sticky page header, under which rows scroll. */
const HEADER_PX = 52;

type Options = {
  table: RefObject<HTMLTableElement | null>;
  dock: RefObject<HTMLElement | null>;
  isDrawerOpen: boolean;
};
/** Reasons to keep rows still: the user has scrolled down, or is hovering, has focused or opened a row. */
export type Hold = { isScrolled: boolean; isInUse: boolean };

export const isFree = ({ isScrolled, isInUse }: Hold): boolean => !isScrolled && !isInUse;

const hasMouse = () => window.matchMedia("(hover: hover)").matches;

/**
 * Whether the rows of the table must stay where they are: read now (readHold) or as state (hold). Hovering over the
 * pill counts too, because it would disappear under the pointer.
 */
export function useHold({ table, dock, isDrawerOpen }: Options): { hold: Hold; readHold: () => Hold } {
  const readHold = useCallback((): Hold => {
    const list = table.current?.parentElement;
    const isPointedAt = hasMouse() && (list?.matches(":hover") || dock.current?.matches(":hover"));
    const hasFocus = table.current?.contains(document.activeElement);
    // A cell's menu may be rendered in a portal.
    const hasMenu = document.querySelector("[role=menu]") !== null;
    const top = table.current?.getBoundingClientRect().top ?? HEADER_PX;
    return { isScrolled: top < HEADER_PX - 1, isInUse: Boolean(isPointedAt || hasFocus || hasMenu || isDrawerOpen) };
  }, [table, dock, isDrawerOpen]);
  const [hold, setHold] = useState<Hold>(readHold);
  const update = () =>
    setHold((was) => {
      const is = readHold();
      return is.isScrolled === was.isScrolled && is.isInUse === was.isInUse ? was : is;
    });
  useEffect(update, [readHold]);
  // During focusout, document.activeElement has not changed yet.
  const later = () => requestAnimationFrame(update);
  useListeners({ pointerover: later, pointerout: later, focusin: later, focusout: later, scroll: later });
  return { hold, readHold };
}

/**
 * Advances a preset range of the live list every minute, while rows may move. The next range is fetched first, so that
 * it replaces the rows at once; a range with the same start is not fetched again.
 */
export function useMovingRange({ input, inputsAt, setNow }: ViewerState, mayMove: () => boolean): void {
  const { zone } = useZone();
  const trpc = useTRPC();
  const cache = useQueryClient();
  const show = useEffectEvent((now: Date) => mayMove() && setNow(now));
  const move = useEffectEvent(async () => {
    const now = new Date();
    const later = inputsAt(now);
    if (document.hidden || !mayMove() || later.input.from === input.from) return;
    const page = await cache.fetchQuery(entriesQuery(trpc, later.listed));
    await Promise.all([
      cache.fetchQuery(totalQuery(trpc, later.input)),
      later.listed.routine && cache.fetchQuery(routineQuery(trpc, { listed: later.listed, page, zone })),
    ]);
    show(now);
  });
  useEffect(() => {
    // If fetching fails, the range stays until the next minute.
    const timer = setInterval(() => move().catch(() => undefined), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15_000;

/** State of the stream; ended: the server refused it, with the reason. */
export type StreamState = { kind: "connecting" | "live" | "reconnecting" } | { kind: "ended"; reason: string };

/**
 * Refusals that a retry would not change. A 429 after a lost connection is retried: the server may still count the old
 * one.
 */
function refusal(error: ApiError, hadStarted: boolean): StreamState | null {
  const status = error.data?.httpStatus ?? 500;
  if (status === 429 && hadStarted) return null;
  return status < 500 ? { kind: "ended", reason: error.message } : null;
}

/**
 * Subscribes to newly sealed entries while the tab is visible. After a lost connection, or when the tab becomes visible
 * again, it resumes after the last message. `input` must be referentially stable.
 */
export function useTailStream(input: Input, onMessage: (message: TailMessage) => void): StreamState {
  const client = useTRPCClient();
  const [state, setState] = useState<StreamState>({ kind: "connecting" });
  const onNewMessage = useEffectEvent(onMessage);
  useEffect(() => {
    let position: string | undefined;
    let delayMs = FIRST_DELAY_MS;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let close = () => {};
    let reconnect = () => {};
    const open = () => {
      // A hidden tab must not occupy one of the browser's six connections per host.
      if (document.hidden) return;
      let isOver = false;
      const end = (next: StreamState | null) => {
        if (isOver) return;
        close();
        setState(next ?? { kind: "reconnecting" });
        if (!next) timer = setTimeout(open, delayMs);
        delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
      };
      const stream = client.audit.tail.subscribe(
        { ...input, ...(position && { lastEventId: position }) },
        {
          onData: ({ id, data }) => {
            position = id;
            delayMs = FIRST_DELAY_MS;
            onNewMessage(data);
          },
          onConnectionStateChange: ({ state: now }) => {
            if (isOver) return;
            if (now === "pending") setState({ kind: "live" });
            else if (now === "connecting") setState((was) => (was.kind === "live" ? { kind: "reconnecting" } : was));
          },
          onError: (error) => {
            leaveIfSignedOut(error);
            end(refusal(error, position !== undefined));
          },
          onComplete: () => end(null),
        },
      );
      close = () => {
        isOver = true;
        stream.unsubscribe();
      };
      reconnect = () => end(null);
    };
    const reopen = () => {
      clearTimeout(timer);
      close();
      open();
    };
    const onOffline = () => reconnect();
    open();
    // Browsers detect a lost network late, and a stream that is being opened could still report that it is live.
    window.addEventListener("online", reopen);
    document.addEventListener("visibilitychange", reopen);
    window.addEventListener("offline", onOffline);
    return () => {
      clearTimeout(timer);
      close();
      window.removeEventListener("online", reopen);
      document.removeEventListener("visibilitychange", reopen);
      window.removeEventListener("offline", onOffline);
    };
  }, [client, input]);
  return state;
}
