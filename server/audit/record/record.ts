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
    /** Default: the organization of a single-organization scope, else the caller's home. */
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
/** Limit for a command that waits for its own entry. */
const FLUSH_DEADLINE_MS = 60_000;

let current: Recorder | undefined;
function recorder(): Recorder {
  current ??= new Recorder();
  return current;
}

/** A console line, as the spec asks for; silent in tests. */
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

/** An event as a row, for the one entry written by a database function (audit_set_retention). */
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
 * Records an audit event (spec, Events): never awaited, never throws. It is in the disk cache when whenWritten()
 * resolves, which the REST door awaits, so a crash of server or database loses nothing that was answered. Events
 * without an organization are dropped with a warning.
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

/** Resolves when a crash of this process loses none of the recorded events; null if that is already so. */
export const whenWritten = (): Promise<void> | null => recorder().written();

/**
 * Resolves when the rows are durable: committed or, if the database is slow, flushed to disk.
 * @returns rows that were not stored because another entry has their id
 * @throws AppError unavailable when neither place takes the rows.
 */
export function recordDurably(rows: AuditInsert[]): Promise<readonly AuditInsert[]> {
  return recorder().durably(rows);
}

/**
 * Opens the spool in `dir`, replays an earlier process's events and starts the batch writer. `onDamage`: called for
 * each chain that cannot continue; its events are held. `onDifference`: called with rows stored differently than sent
 * (one batch a minute is read again). `times`: how long callers wait.
 */
export async function startRecording(options: RecordingOptions): Promise<void> {
  current ??= new Recorder(writerConnection(), options.times);
  current.start(options.dir, options.onDamage, options.onDifference);
}

/** Writes pending events for at most five seconds; the rest stays in the spool for the next start. */
export function stopRecording(): Promise<void> {
  return recorder().stop(STOP_DEADLINE_MS);
}

/** Resolves when everything recorded so far is in the database, or after `deadlineMs`. */
export function flushRecording(deadlineMs = FLUSH_DEADLINE_MS): Promise<void> {
  return recorder().flush(deadlineMs);
}

/** Figures for /metrics and /readyz: `behind` means a growing spool; `dropped` counts lost events. */
export const recordingStats = () => recorder().stats();
