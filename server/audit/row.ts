import { keysOf } from "@/server/ground/records";
import type { ActorType, AuditResult } from "./vocabulary";

/**
 * The fifteen columns of the audit row, in canonical payload order. Inserts, hashes, lists, exports and evidence derive
 * from this table. The order is part of the hash and never changes.
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

/** A row as text, in PostgreSQL's format. */
type RowText = { [F in Field]: F extends NullableField ? string | null : string };

/**
 * An audit row before it joins the chain: UUIDs, an ISO timestamp, details as JSON text, no NUL or lone surrogates
 * (record/to-row.ts produces such rows).
 */
export type AuditInsert = Omit<RowText, "actorType" | "result"> & { actorType: ActorType; result: AuditResult };

/** A row under the names of its SQL columns. */
export type SqlRow = { [F in Field as (typeof COLUMNS)[F]["sql"]]: AuditInsert[F] };

/** An audit row as hashed by the chain: everything as stored, `details` as the text of the stored jsonb. */
export type ChainRow = Omit<RowText, "timestamp"> & {
  /** Whole milliseconds since 1970 UTC. */
  timestampMs: number | bigint | string;
  chainSeq: number | bigint | string;
  prevChecksum: string | null;
};

/** Fields of the canonical payload, in order (docs: the chain). */
export const PAYLOAD_FIELDS: readonly (keyof ChainRow)[] = [
  "prevChecksum",
  "chainSeq",
  ...FIELDS.map((field) => (field === "timestamp" ? "timestampMs" : field)),
];

/** Fields of a sealed row: the payload, then its checksum. */
export const SEALED_FIELDS = [...PAYLOAD_FIELDS, "checksum"] as const;

const NULLABLE = new Set<string>(["prevChecksum", ...FIELDS.filter((field) => COLUMNS[field].nullable)]);

/** True if a payload field may be NULL; the first row of a chain has no previous checksum. */
export const isNullable = (field: keyof ChainRow): boolean => NULLABLE.has(field);
