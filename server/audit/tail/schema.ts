import { z } from "zod";
import { type FullEntry, filterInput } from "@/server/audit/schema";

/** Rows of one message, and of one read: a chain is followed in steps of so many rows. */
export const TAIL_STEP_ROWS = 200;
/** A reader further behind than this has to load the list again. */
export const MAX_TAIL_BACKLOG = 5_000;
/** How often the heads of the chains are polled while there are followers. */
export const TAIL_POLL_MS = 500;
/** How often the caller's reach is looked up again. */
export const TAIL_CHECK_MS = 10_000;
/** Browsers open six connections to a server over HTTP/1.1: one must be left for everything else. */
export const TAIL_SLOTS = { kind: "live views", max: 5, advice: "Close one of them." };
/** The lists' filters and `q`. lastEventId is the position of the last message seen, as EventSource hands it back. */
export const tailInput = z.object({ lastEventId: z.string().optional() }).and(filterInput);
export type TailInput = z.output<typeof tailInput>;

/**
 * Why a reader is to load the list again: everything sealed after that is streamed. start: it had no position;
 * position: the one it had is none of this filter's; behind: more was sealed meanwhile than is streamed.
 */
export type ReloadReason = "start" | "position" | "behind";

/** The messages of the stream: new entries, per organization in the order of the chain. */
export type TailMessage = { kind: "entries"; entries: FullEntry[] } | { kind: "reload"; reason: ReloadReason };
