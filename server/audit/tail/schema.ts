import { z } from "zod";
import { type FullEntry, filterInput } from "@/server/audit/schema";

/** Rows per message and per read of a chain. */
export const TAIL_STEP_ROWS = 200;
/** A reader further behind must reload the list. */
export const MAX_TAIL_BACKLOG = 5_000;
export const TAIL_POLL_MS = 500;
/** Interval between checks of the caller's reach. */
export const TAIL_CHECK_MS = 10_000;
/** Browsers open six HTTP/1.1 connections to a server, and one must stay free. */
export const TAIL_SLOTS = { kind: "live views", max: 5, advice: "Close one of them." };
/** Filters of the lists and `q`. lastEventId is the last position received, as EventSource returns it. */
export const tailInput = z.object({ lastEventId: z.string().optional() }).and(filterInput);
export type TailInput = z.output<typeof tailInput>;

/**
 * Reason to reload the list; everything sealed later is streamed. start: no position; position: it does not fit the
 * filter; behind: the backlog is too large to stream.
 */
export type ReloadReason = "start" | "position" | "behind";

/** Messages of the stream: new entries, each organization in chain order. */
export type TailMessage = { kind: "entries"; entries: FullEntry[] } | { kind: "reload"; reason: ReloadReason };
