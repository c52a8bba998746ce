import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { count, createdAt, id, instant } from "./columns";

/**
 * Background exports. orgId null: requested by a partner's user; both null: by the platform's operator. orgIds are
 * organizations that the file may contain, once done those it does contain, if any; heads are the ends of their chains.
 */
export const auditExports = pgTable(
  "audit_exports",
  {
    id: id(),
    orgId: uuid("org_id"),
    partnerId: uuid("partner_id"),
    orgIds: uuid("org_ids").array().notNull(),
    createdBy: uuid("created_by").notNull(),
    createdByType: text("created_by_type").$type<"user" | "api_key">().notNull(),
    /** The filter, with instants as text. */
    filter: jsonb("filter").$type<Record<string, unknown>>().notNull(),
    format: text("format").$type<"spreadsheet" | "csv" | "ndjson" | "json">().notNull(),
    gzip: boolean("gzip").notNull(),
    fileName: text("file_name").notNull(),
    status: text("status").$type<"waiting" | "running" | "done" | "failed">().notNull().default("waiting"),
    heads: jsonb("heads").$type<Record<string, number>>(),
    totalRows: count("total_rows"),
    rowsDone: count("rows_done").notNull().default(0),
    sizeBytes: count("size_bytes").notNull().default(0),
    sha256: text("sha256"),
    /** Number of attempts; names the file, so that no two writers share one. */
    attempt: integer("attempt").notNull().default(0),
    error: text("error"),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    createdAt: createdAt(),
    finishedAt: instant("finished_at"),
    expiresAt: instant("expires_at").notNull(),
  },
  (t) => [
    check("audit_exports_creator_check", sql`created_by_type IN ('user', 'api_key')`),
    check("audit_exports_format_check", sql`format IN ('spreadsheet', 'csv', 'ndjson', 'json')`),
    check("audit_exports_status_check", sql`status IN ('waiting', 'running', 'done', 'failed')`),
    check("audit_exports_sha256_check", sql`sha256 ~ '^[0-9a-f]{64}$'`),
    index("audit_exports_creator_idx").on(t.createdBy, t.createdAt),
  ],
);
