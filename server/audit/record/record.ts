import type { ActionCode } from "@/server/audit/actions";
import type { AuditInsert } from "@/server/audit/row";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { newId } from "@/server/ground/ids";
import { log } from "@/server/ground/log";
import { ownOrg } from "@/server/ground/scope";
import { isInBounds } from "@/server/ground/time/bounds";
import { writerConnection } from "./append";
import type { WriteTimes } from "./pending-write";
import { Recorder } from "./recorder";
import type { Difference } from "./sample";
import { condensed, type RowInput, toRow } from "./to-row";

/** The event; the actor and the address come from the context. */
export type AuditEvent = Pick<RowInput, "resourceType" | EventDetail> &
  Partial<Pick<RowInput, "id" | "timestamp" | "result">> & {
    action: ActionCode;
    /** Default: the organization of a one-organization scope, else the caller's home organization. */
    orgId?: string | null;
  };
type EventDetail = "resourceId" | "resourceName" | "details" | "errorMessage";

type RecordingOptions = {
  dir: string;
  onDamage?: (orgId: string) => void;
  onDifference?: ((found: Difference[]) => void) | undefined;
  times?: WriteTimes;
};

const STOP_DEADLINE_MS = 5_000;
/** A command whose result is to hold its own entry waits for it. */
const FLUSH_DEADLINE_MS = 60_000;

let current: Recorder | undefined;
function recorder(): Recorder {
  current ??= new Recorder();
  return current;
}

/** A line on the console, as the specification asks for; silent in tests. */
export function warnOnConsole(message: string): void {
  try {
    if (env().NODE_ENV === "test") return;
  } catch {
    return;
  }
  console.warn(message);
}

function organizationOf(ctx: Ctx, event: AuditEvent): string | null {
  return event.orgId ?? ownOrg(ctx.scope) ?? ctx.homeOrgId;
}

/** An event as its row, for the one entry that a function of the database writes itself (audit_set_retention). */
export function eventRow(ctx: Ctx, event: AuditEvent, orgId: string): AuditInsert {
  const { actor } = ctx;
  const at = event.timestamp ?? ctx.now();
  return condensed(
    toRow({
      ...event,
      id: event.id ?? newId(),
      orgId,
      timestamp: isInBounds(at) ? at : new Date(),
      actorType: actor.type,
      actorId: actor.type === "system" ? ZERO_UUID : actor.id,
      actorEmail: actor.type === "user" ? actor.email : null,
      ipAddress: ctx.ip,
      userAgent: ctx.userAgent,
      result: event.result ?? "success",
    }),
  );
}

/**
 * Records an audit event (spec, Events): never awaited, never throws. It is in the disk's cache when whenWritten()
 * resolves, which the REST door awaits before it answers, so a crash of the server or of the database does not lose what
 * an answered request did; an event without an organization is dropped with a warning.
 */
export function record(ctx: Ctx, event: AuditEvent): void {
  try {
    const orgId = organizationOf(ctx, event);
    if (orgId) recorder().enqueue([eventRow(ctx, event, orgId)]);
    else warnOnConsole(`audit event ${event.action} has no organization and is dropped`);
  } catch (error) {
    log.error({ err: error, action: event?.action }, "an audit event could not be recorded");
  }
}

/** Resolves when a crash of this process loses nothing of what was recorded so far; null when it would not now. */
export const whenWritten = (): Promise<void> | null => recorder().written();

/**
 * Resolves when the rows survive a crash: committed, or, when the database does not answer soon, flushed to the disk.
 * @returns the rows that were not taken, because their ids are other entries'
 * @throws AppError unavailable when neither place takes the rows.
 */
export function recordDurably(rows: AuditInsert[]): Promise<readonly AuditInsert[]> {
  return recorder().durably(rows);
}

/**
 * Opens the spool in its folder `dir`, replays what an earlier process left and starts the batch writer. `onDamage` is
 * called for each chain that the database cannot continue; its events are held until it can. `onDifference`:
 * with rows that are not stored as they were sent, of which a batch a minute is read again. `times`: how long callers wait.
 */
export async function startRecording(options: RecordingOptions): Promise<void> {
  current ??= new Recorder(writerConnection(), options.times);
  current.start(options.dir, options.onDamage, options.onDifference);
}

/** Writes out what is pending, for at most five seconds; the rest stays in the spool for the next start. */
export function stopRecording(): Promise<void> {
  return recorder().stop(STOP_DEADLINE_MS);
}

/** Resolves when everything recorded so far is in the database, at the latest after `deadlineMs`. */
export function flushRecording(deadlineMs = FLUSH_DEADLINE_MS): Promise<void> {
  return recorder().flush(deadlineMs);
}

/** Figures for /metrics and /readyz: the spool grows while `behind` is true; `dropped` counts lost events. */
export const recordingStats = () => recorder().stats();
