import { keysOf } from "@/server/ground/records";
import type { ActorType, AuditResult } from "./vocabulary";

/**
 * The fifteen columns of the audit row, in the order of the canonical payload. Inserts, hashes, lists, exports and
 * evidence derive from this table. The order is part of the hash: it never changes.
 */
export const COLUMNS = {
  id: { sql: "id", type: "uuid", nullable: false },
  orgId: { sql: "org_id", type: "uuid", nullable: false },
  timestamp: { sql: "timestamp", type: "timestamptz", nullable: false },
  actorType: { sql: "actor_type", type: "text", nullable: false },
  actorId: { sql: "actor_id", type: "uuid", nullable: false },
  actorEmail: { sql: "actor_email", type: "text", nullable: true },
  action: { sql: "action", type: "text", nullable: false },
  resourceType: { sql: "resource_type", type: "text", nullable: false },
  resourceId: { sql: "resource_id", type: "uuid", nullable: true },
  resourceName: { sql: "resource_name", type: "text", nullable: true },
  details: { sql: "details", type: "jsonb", nullable: true },
  ipAddress: { sql: "ip_address", type: "text", nullable: true },
  userAgent: { sql: "user_agent", type: "text", nullable: true },
  result: { sql: "result", type: "text", nullable: false },
  errorMessage: { sql: "error_message", type: "text", nullable: true },
} as const;

export type Field = keyof typeof COLUMNS;
export const FIELDS = keysOf(COLUMNS);

/** Fields that may be NULL. */
export type NullableField = { [F in Field]: (typeof COLUMNS)[F]["nullable"] extends true ? F : never }[Field];

/** A row as text, as PostgreSQL takes and gives it. */
type RowText = { [F in Field]: F extends NullableField ? string | null : string };

/**
 * One audit row before the chain has it: UUIDs, an ISO timestamp, details as the text of a JSON object, nothing with NUL
 * or lone surrogates in it (record/to-row.ts produces such rows).
 */
export type AuditInsert = Omit<RowText, "actorType" | "result"> & { actorType: ActorType; result: AuditResult };

/** A row under the names of its SQL columns. */
export type SqlRow = { [F in Field as (typeof COLUMNS)[F]["sql"]]: AuditInsert[F] };

/** One audit row as the chain hashes it: everything as stored, `details` as the text of the stored jsonb. */
export type ChainRow = Omit<RowText, "timestamp"> & {
  /** Whole milliseconds since 1970 UTC. */
  timestampMs: number | bigint | string;
  chainSeq: number | bigint | string;
  prevChecksum: string | null;
};

/** The fields of the canonical payload in its order (docs: the chain). */
export const PAYLOAD_FIELDS: readonly (keyof ChainRow)[] = [
  "prevChecksum",
  "chainSeq",
  ...FIELDS.map((field) => (field === "timestamp" ? "timestampMs" : field)),
];

/** The payload's fields, then the checksum over them: a sealed row. */
export const SEALED_FIELDS = [...PAYLOAD_FIELDS, "checksum"] as const;

const NULLABLE = new Set<string>(["prevChecksum", ...FIELDS.filter((field) => COLUMNS[field].nullable)]);

/** Whether a field of the payload may be NULL; the first row of a chain has no previous checksum. */
export const isNullable = (field: keyof ChainRow): boolean => NULLABLE.has(field);
