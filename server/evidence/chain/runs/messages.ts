import type { Tenant } from "@/db/client";
import type { SeqRange } from "@/server/evidence/chain/copy-query";
import type { Run } from "@/server/evidence/chain/verifier";

/** What a reading thread is started with: whose rows, in which snapshot, and the sequence whose row is wanted. */
export type ThreadTask = { tenant: Tenant; orgId: string; snapshot: string; mark: number | undefined };

/** To the thread: the next range, or that there is none. */
export type ToThread = SeqRange | "end";

/** From the thread: rows of the range so far, its runs, or why it cannot be read. */
export type FromThread =
  | { kind: "progress"; rows: number }
  | { kind: "runs"; runs: Run[] }
  | { kind: "failed"; message: string };
