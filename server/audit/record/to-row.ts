import type { AuditInsert, NullableField } from "@/server/audit/row";
import { MAX_DETAILS_BYTES, MAX_LENGTH } from "@/server/audit/vocabulary";
import { ZERO_UUID } from "@/server/ground/context";
import { isUuid } from "@/server/ground/ids";
import { repairText } from "@/server/ground/text";
import { condenseDetails, detailsText, maskedText } from "./details";

type EventValues = Omit<AuditInsert, "timestamp" | "actorId" | "details"> & {
  timestamp: Date;
  actorId: string | null;
  details: Record<string, unknown> | null;
};

/** An event with known organization and actor, before the table's rules are applied. */
export type RowInput = Omit<EventValues, NullableField> & Partial<Pick<EventValues, NullableField>>;

const CUT = "…";

/** Cuts to whole characters as PostgreSQL counts them, ending in a mark of the cut. */
function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = [...text];
  return characters.length <= max ? text : characters.slice(0, max - 1).join("") + CUT;
}

const column = (text: string | null | undefined, max: number): string | null =>
  text == null ? null : clip(maskedText(repairText(text)), max);

/**
 * Converts an event to a row. Spec, rules for non-UUID identifiers: the zero UUID replaces a foreign id, kept in
 * details as rawActorId or rawResourceId. Text is repaired, secrets masked, long values cut with a mark (the door
 * refuses them first, but the platform's own events must never fail). Details keep their size.
 */
export function toRow(input: RowInput): AuditInsert {
  const raw: Record<string, string> = {};
  let actorId = input.actorId ?? ZERO_UUID;
  if (!isUuid(actorId)) {
    raw.rawActorId = actorId;
    actorId = ZERO_UUID;
  }
  let resourceId = input.resourceId ?? null;
  if (resourceId !== null && !isUuid(resourceId)) {
    raw.rawResourceId = resourceId;
    resourceId = ZERO_UUID;
  }
  const hasRaw = raw.rawActorId !== undefined || raw.rawResourceId !== undefined;
  const details = hasRaw ? { ...input.details, ...raw } : input.details;
  return {
    id: input.id.toLowerCase(),
    orgId: input.orgId.toLowerCase(),
    timestamp: input.timestamp.toISOString(),
    actorType: input.actorType,
    actorId: actorId.toLowerCase(),
    actorEmail: column(input.actorEmail, MAX_LENGTH.actorEmail),
    action: clip(repairText(input.action), MAX_LENGTH.action),
    resourceType: clip(repairText(input.resourceType), MAX_LENGTH.resourceType),
    resourceId: resourceId === null ? null : resourceId.toLowerCase(),
    resourceName: column(input.resourceName, MAX_LENGTH.resourceName),
    details: details == null ? null : detailsText(details),
    ipAddress: column(input.ipAddress, MAX_LENGTH.ipAddress),
    userAgent: column(input.userAgent, MAX_LENGTH.userAgent),
    result: input.result,
    errorMessage: column(input.errorMessage, MAX_LENGTH.errorMessage),
  };
}

/** True if a row's details exceed the limit. */
export const isOversized = (row: AuditInsert): boolean =>
  row.details !== null &&
  row.details.length * 3 > MAX_DETAILS_BYTES &&
  Buffer.byteLength(row.details) > MAX_DETAILS_BYTES;

/** Cuts details to the limit, for the platform's own events. */
export const condensed = (row: AuditInsert): AuditInsert =>
  isOversized(row) && row.details !== null ? { ...row, details: condenseDetails(row.details, MAX_DETAILS_BYTES) } : row;
