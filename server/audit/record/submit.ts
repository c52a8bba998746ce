import { layout } from "@/db/citus/layout";
import { asSystem } from "@/db/client";
import type { AuditInsert } from "@/server/audit/row";
import { type SubmittedEvent, submitInput, submitOutput } from "@/server/audit/schema";
import { MAX_DETAILS_BYTES } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { operation } from "@/server/ground/operation";
import { ownOrg, reaches } from "@/server/ground/scope";
import { writeTime } from "./pending-write";
import { isRecordingBehind, recordDurably, warnOnConsole } from "./record";
import { idConflict } from "./recorder";
import { isOversized, toRow } from "./to-row";

/** The organization of one event: its own where the key reaches it, the key's where it has none, or none at all. */
function organizationOf(ctx: Ctx, event: SubmittedEvent, index: number): string | null {
  if (!event.orgId) return ownOrg(ctx.scope);
  if (reaches(ctx.scope, event.orgId)) return event.orgId;
  throw new AppError(
    "forbidden",
    `events.${index}: this key has no access to the organization of its orgId; nothing was stored.`,
  );
}

type Submitted = { event: SubmittedEvent; index: number; orgId: string };

/** The row says which key brought it: a key that may submit may name any actor. */
function eventRow(
  { event, index, orgId }: Submitted,
  { id, name }: { id: string; name: string },
  now: Date,
): AuditInsert {
  const details = { ...event.details, submittedBy: { id, name } };
  const row = toRow({ ...event, details, id: event.id ?? newId(), orgId, timestamp: event.timestamp ?? now });
  if (isOversized(row)) throw invalid(`events.${index}.details`, `is larger than ${MAX_DETAILS_BYTES} bytes`);
  return row;
}

/**
 * Ids are unique across organizations: a second organization under the same id is refused as a whole, before anything
 * is stored, and the answer does not reveal whose it is.
 */
async function refuseTakenIds(rows: AuditInsert[]): Promise<void> {
  const owners = new Map<string, string>();
  for (const { id, orgId } of rows) {
    if ((owners.get(id) ?? orgId) !== orgId) throw idConflict();
    owners.set(id, orgId);
  }
  if (owners.size === 0 || isRecordingBehind()) return;
  const timeout = new Promise<null>((resolve) => setTimeout(resolve, writeTime.lookup, null).unref());
  const found = await Promise.race([asSystem((tx) => tx.execute(layout().takenIds(owners))), timeout]).catch(
    () => null,
  );
  if (found && found.length > 0) throw idConflict();
}

/**
 * POST /audit-logs/events: takes over what other parts of the platform recorded. Events without an organization are
 * dropped with a console warning; the rest survives a crash of the server or of the database when this resolves, all of
 * it or nothing.
 * @throws AppError forbidden (not an API key, an orgId outside its reach), validation_failed, conflict, unavailable.
 */
export const submitEvents = operation({
  permission: "audit:write",
  input: submitInput,
  output: submitOutput,
  waits: true,
  async run(ctx, input) {
    const { actor } = ctx;
    if (actor.type !== "api_key") throw new AppError("forbidden", "Only API keys may submit audit events.");
    const rows: AuditInsert[] = [];
    const named: AuditInsert[] = [];
    for (const [index, event] of input.events.entries()) {
      const orgId = organizationOf(ctx, event, index);
      if (!orgId) continue;
      const row = eventRow({ event, index, orgId }, actor, ctx.now());
      rows.push(row);
      if (event.id) named.push(row);
    }
    await refuseTakenIds(named);
    const dropped = input.events.length - rows.length;
    if (dropped > 0) warnOnConsole(`${dropped} audit event(s) without an organization were dropped`);
    await recordDurably(rows);
    return { accepted: rows.length, dropped };
  },
});
