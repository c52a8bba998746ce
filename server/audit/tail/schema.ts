import { z } from "zod";
import { facetsInput } from "@/server/audit/entries/facets-schema";
import type { FullEntry } from "@/server/audit/schema";

/** Rows of one message, and of one read: a chain is followed in steps of so many places. */
export const TAIL_STEP_ROWS = 200;
/** Who is further behind than this is told to load the list again. */
export const MAX_TAIL_BACKLOG = 5_000;
/** How often the heads of the chains are polled while there are followers. */
export const TAIL_POLL_MS = 500;
/** How often it is looked up again whether the caller may still see what it is shown. */
export const TAIL_CHECK_MS = 10_000;
/** Browsers open six connections to a server over HTTP/1.1: one must be left for everything else. */
export const MAX_TAILS_PER_CALLER = 5;
/** The lists' filters and `q`. lastEventId is the position of the last message seen, as EventSource hands it back. */
export const tailInput = z.object({ lastEventId: z.string().optional() }).and(facetsInput);
export type TailInput = z.output<typeof tailInput>;

/**
 * Why a reader is to load the list again: everything sealed after that comes by itself. start: it had no position;
 * position: the one it had is none of this filter's; behind: more was sealed meanwhile than is handed on.
 */
export type ReloadReason = "start" | "position" | "behind";

/** What the stream carries: new entries, per organization in the order of the chain. */
export type TailMessage = { kind: "entries"; entries: FullEntry[] } | { kind: "reload"; reason: ReloadReason };
