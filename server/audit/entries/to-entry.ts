import { actionLabel } from "@/server/audit/action-label";
import { categoryOf } from "@/server/audit/actions";
import { submittedByOf } from "@/server/audit/provenance";
import type { EntryRow } from "@/server/audit/query/rows";
import type { FlatEntry, FullEntry } from "@/server/audit/schema";
import { ZERO_UUID } from "@/server/ground/context";
import { readExact } from "@/server/ground/exact-json";
import { isObject } from "@/server/ground/records";

/** Parses the details of a stored row. */
export function detailsOf(row: Pick<EntryRow, "details">): Record<string, unknown> {
  const value: unknown = row.details === null ? {} : readExact(row.details);
  return isObject(value) ? value : { value };
}

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** External id of a resource that is not a UUID (spec, non-UUID identifiers). */
export const rawResourceOf = (row: Pick<EntryRow, "resource_id" | "details">): string | null =>
  row.resource_id === ZERO_UUID ? text(detailsOf(row).rawResourceId) : null;

type Named = Pick<EntryRow, "actor_type" | "actor_id" | "actor_email" | "user_name" | "key_name" | "hostname">;

/** Name of a person without an account or address. */
const UNKNOWN_USER = "Unknown user";
/** Name of a visitor without an account, such as the reader of a shared link. */
const VISITOR = "Visitor";

const isVisitor = ({ actor_id }: Named, { rawActorId }: Record<string, unknown>): boolean =>
  actor_id === ZERO_UUID && text(rawActorId) === null;

/** Display name of the actor (contract, flat entry: user.name). */
export function actorName(row: Named, details: Record<string, unknown>): string {
  switch (row.actor_type) {
    case "user":
      return row.user_name || row.actor_email || (isVisitor(row, details) ? VISITOR : UNKNOWN_USER);
    case "api_key":
      return row.key_name ?? "API key";
    case "agent": {
      if (row.hostname) return `Agent (${row.hostname})`;
      const raw = text(details.rawActorId);
      return raw ? `Agent ${[...raw].slice(0, 8).join("")}` : "Agent";
    }
    case "ai_agent":
      return "AI agent";
    default:
      return "System";
  }
}

const roleOf = (row: EntryRow): string => row.user_role ?? row.actor_type;

/** Members shared by both formats. */
function core(row: EntryRow, details: Record<string, unknown>) {
  return {
    id: row.id,
    orgId: row.org_id,
    timestamp: new Date(row.ms).toISOString(),
    action: row.action,
    actionLabel: actionLabel(row.action),
    actorType: row.actor_type,
    category: categoryOf(row.action),
    result: row.result,
    ipAddress: row.ip_address ?? "",
    userAgent: row.user_agent ?? "",
    submittedBy: submittedByOf(details),
  };
}

/** A stored row in the spec's flat list format. */
export function toFlatEntry(row: EntryRow): FlatEntry {
  const details = detailsOf(row);
  return {
    ...core(row, details),
    resource: row.resource_name || row.resource_type,
    resourceType: row.resource_type,
    details: row.details ?? "{}",
    sessionId: text(details.sessionId),
    user: {
      name: actorName(row, details),
      email: row.actor_email ?? row.user_email ?? "",
      role: roleOf(row),
      department: row.user_department ?? "",
    },
    changes: { before: details.before ?? {}, after: details.after ?? {} },
  };
}

/** A stored row in the spec's full list format. */
export function toFullEntry(row: EntryRow): FullEntry {
  const details = detailsOf(row);
  return {
    ...core(row, details),
    user: {
      id: row.actor_id,
      name: actorName(row, details),
      email: row.actor_email ?? row.user_email ?? "",
      role: roleOf(row),
    },
    resource: { type: row.resource_type, id: row.resource_id ?? "", name: row.resource_name ?? "" },
    details,
    errorMessage: row.error_message,
    checksum: row.checksum,
    prevChecksum: row.prev_checksum,
    chainSeq: Number(row.chain_seq),
  };
}
