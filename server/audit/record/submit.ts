import type { z } from "zod";
import { withSubmitter } from "@/server/audit/provenance";
import type { AuditInsert } from "@/server/audit/row";
import { MAX_DETAILS_BYTES } from "@/server/audit/vocabulary";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { operation } from "@/server/ground/operation";
import { ownOrg, reaches } from "@/server/ground/scope";
import { byWrittenTime } from "@/server/ground/wire";
import { recordDurably, warnOnConsole } from "./record";
import { type SubmittedEvent, submitInput, submitOutput } from "./schema";
import { isOversized, toRow } from "./to-row";

/** Organization of an event: its own if in the key's reach, else the key's, or none. */
function organizationOf(ctx: Ctx, event: SubmittedEvent, index: number): string | null {
  if (!event.orgId) return ownOrg(ctx.scope);
  if (reaches(ctx.scope, event.orgId)) return event.orgId;
  throw new AppError(
    "forbidden",
    `events.${index}: this key has no access to the organization of its orgId; nothing was stored.`,
  );
}

type Submitted = { event: SubmittedEvent; index: number; orgId: string };

/** Records the submitting key in the row, because it may name any actor. */
function eventRow({ event, index, orgId }: Submitted, key: { id: string; name: string }, now: Date): AuditInsert {
  const details = withSubmitter(event.details, key);
  const row = toRow({ ...event, details, id: event.id ?? newId(), orgId, timestamp: event.timestamp ?? now });
  if (isOversized(row)) throw invalid(`events.${index}.details`, `is larger than ${MAX_DETAILS_BYTES} bytes`);
  return row;
}

type Rejected = z.output<typeof submitOutput>["rejected"];

const TAKEN = "The id is in use for another entry; send the event under a new id.";

/**
 * POST /audit-logs/events: stores events recorded by other parts of the platform. Events without an organization are
 * dropped with a console warning, those with another entry's id are refused by name; the rest is durable when this
 * resolves. The answer does not reveal the owner of an id.
 * @throws AppError forbidden (not an API key, an orgId outside its reach), validation_failed, id_conflict, unavailable.
 */
export const submitEvents = operation({
  permission: "audit:write",
  input: submitInput,
  output: submitOutput,
  waits: true,
  async run(ctx, { events }) {
    const { actor } = ctx;
    if (actor.type !== "api_key") throw new AppError("forbidden", "Only API keys may submit audit events.");
    const rows = new Map<AuditInsert, number>();
    const rejected: Rejected = [];
    const now = ctx.now();
    // Within one millisecond, the log lists the last stored entry first.
    const inOrder = [...events.entries()].sort(([, a], [, b]) => byWrittenTime(a.timestamp ?? now, b.timestamp ?? now));
    for (const [index, event] of inOrder) {
      const orgId = organizationOf(ctx, event, index);
      if (orgId) rows.set(eventRow({ event, index, orgId }, actor, now), index);
      else rejected.push({ index, id: event.id ?? null, code: "no_organization", message: "The event has no orgId." });
    }
    if (rejected.length > 0) warnOnConsole(`${rejected.length} audit event(s) without an organization were dropped`);
    const refused = await recordDurably([...rows.keys()]);
    if (refused.length === events.length) {
      const errors = events.map((_, index) => ({ path: `events.${index}.id`, message: "is in use for another entry" }));
      throw new AppError("id_conflict", TAKEN, { errors });
    }
    for (const row of refused)
      rejected.push({ index: rows.get(row) ?? 0, id: row.id, code: "id_conflict", message: TAKEN });
    return { accepted: rows.size - refused.length, rejected: rejected.sort((a, b) => a.index - b.index) };
  },
});
