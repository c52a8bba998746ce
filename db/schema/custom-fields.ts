import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { count, createdAt, id, instant, jsonScalar, updatedAt } from "./columns";
import { devices } from "./devices";
import { ofPartner, organizations } from "./organizations";

/** A custom field. orgId null: owned by All organizations of the partner. */
export const customFieldDefinitions = pgTable(
  "custom_field_definitions",
  {
    id: id(),
    partnerId: ofPartner(),
    orgId: uuid("org_id").references(() => organizations.id),
    name: text("name").notNull(),
    fieldKey: text("field_key").notNull(),
    type: text("type").notNull().$type<"text" | "number" | "boolean" | "dropdown" | "date">(),
    options: jsonb("options").$type<string[]>(),
    required: boolean("required").notNull().default(false),
    defaultValue: jsonScalar("default_value"),
    deviceTypes: jsonb("device_types").$type<string[]>(),
    secret: boolean("secret").notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check("custom_field_definitions_type_check", sql`type IN ('text', 'number', 'boolean', 'dropdown', 'date')`),
    check("custom_field_definitions_key_check", sql`field_key ~ '^[a-z][a-z0-9_]*$'`),
    uniqueIndex("custom_field_definitions_org_key").on(t.orgId, t.fieldKey).where(sql`org_id IS NOT NULL`),
    uniqueIndex("custom_field_definitions_partner_key").on(t.partnerId, t.fieldKey).where(sql`org_id IS NULL`),
  ],
);

/**
 * Custom field values of one device in one row: definition id → typed value. One row per device instead of per value
 * turns an import of a million values into an update of a hundred thousand rows (docs/decisions).
 */
export const customFieldValues = pgTable(
  "custom_field_values",
  {
    deviceId: uuid("device_id")
      .primaryKey()
      .references(() => devices.id, { onDelete: "cascade" }),
    orgId: uuid("org_id").notNull(),
    values: jsonb("values").notNull().$type<Record<string, string | number | boolean>>(),
    updatedAt: updatedAt(),
  },
  (t) => [
    check("custom_field_values_object_check", sql`jsonb_typeof("values") = 'object'`),
    index("custom_field_values_org_idx").on(t.orgId),
  ],
);

/**
 * One run of the import wizard. orgIds is its creator's reach at the last check: only those devices are searched, and
 * the import is visible to people who reach all of them. Only the newest attempt at its job may write.
 */
export const customFieldImports = pgTable(
  "custom_field_imports",
  {
    id: id(),
    partnerId: ofPartner(),
    orgIds: uuid("org_ids").array().notNull(),
    createdBy: uuid("created_by").notNull(),
    createdByName: text("created_by_name").notNull(),
    source: text("source").notNull(),
    status: text("status").notNull().default("draft"),
    files: jsonb("files").notNull().default([]),
    columns: jsonb("columns").notNull().default([]),
    plan: jsonb("plan"),
    summary: jsonb("summary").notNull().default({}),
    fingerprint: text("fingerprint"),
    totalRows: integer("total_rows").notNull().default(0),
    /** Rows up to this one are applied, if resolved and unchanged since the check. */
    appliedThrough: integer("applied_through").notNull().default(0),
    job: text("job"),
    jobDone: integer("job_done").notNull().default(0),
    jobStartedAt: instant("job_started_at"),
    attempt: integer("attempt").notNull().default(0),
    cancelRequested: boolean("cancel_requested").notNull().default(false),
    error: text("error"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    startedAt: instant("started_at"),
    finishedAt: instant("finished_at"),
    undoneAt: instant("undone_at"),
  },
  (t) => [
    check(
      "custom_field_imports_status_check",
      sql`status IN ('draft', 'staged', 'checked', 'running', 'done', 'cancelled', 'undone')`,
    ),
    check("custom_field_imports_job_check", sql`job IN ('stage', 'check', 'apply', 'undo')`),
    index("custom_field_imports_partner_idx").on(t.partnerId, t.createdAt),
  ],
);

/**
 * The parsed file: one row per record; cells in the order of the import's columns. Written in bulk, so without foreign
 * keys, like the next two.
 */
export const customFieldImportRows = pgTable(
  "custom_field_import_rows",
  {
    importId: uuid("import_id").notNull(),
    rowNo: integer("row_no").notNull(),
    partnerId: uuid("partner_id").notNull(),
    fileNo: smallint("file_no").notNull(),
    line: integer("line").notNull(),
    cells: jsonb("cells").notNull().$type<(string | null)[]>(),
    /** Reason that the record could not be read as one row. */
    fault: text("fault"),
  },
  (t) => [primaryKey({ name: "custom_field_import_rows_pkey", columns: [t.importId, t.rowNo] })],
);

/** Results of the check for each row; codes has one letter per mapped field. */
export const customFieldImportResults = pgTable(
  "custom_field_import_results",
  {
    importId: uuid("import_id").notNull(),
    rowNo: integer("row_no").notNull(),
    partnerId: uuid("partner_id").notNull(),
    outcome: text("outcome").notNull(),
    deviceId: uuid("device_id"),
    sourceId: text("source_id"),
    codes: text("codes").notNull(),
    reason: text("reason"),
    candidates: uuid("candidates").array(),
    /** Candidate picked for an ambiguous row. */
    pickedDeviceId: uuid("picked_device_id"),
  },
  (t) => [primaryKey({ name: "custom_field_import_results_pkey", columns: [t.importId, t.rowNo] })],
);

/** A person's corrections of an import's rows, by distinct replaced value. */
export const customFieldImportEdits = pgTable(
  "custom_field_import_edits",
  {
    importId: uuid("import_id").notNull(),
    editNo: integer("edit_no").notNull(),
    part: integer("part").notNull(),
    partnerId: uuid("partner_id").notNull(),
    columnNo: integer("column_no").notNull(),
    before: text("before").notNull(),
    after: text("after").notNull(),
    rowNos: integer("row_nos").array().notNull(),
  },
  (t) => [primaryKey({ name: "custom_field_import_edits_pkey", columns: [t.importId, t.editNo, t.part] })],
);

/** An import's changes to a device: values before and after (null: none), for read-back and undo. */
export const customFieldImportChanges = pgTable(
  "custom_field_import_changes",
  {
    importId: uuid("import_id").notNull(),
    rowNo: integer("row_no").notNull(),
    orgId: uuid("org_id").notNull(),
    deviceId: uuid("device_id").notNull(),
    previous: jsonb("previous").notNull().$type<Record<string, string | number | boolean | null>>(),
    written: jsonb("written").notNull().$type<Record<string, string | number | boolean | null>>(),
    recordedSourceId: text("recorded_source_id"),
    undone: boolean("undone").notNull().default(false),
  },
  (t) => [primaryKey({ name: "custom_field_import_changes_pkey", columns: [t.importId, t.rowNo] })],
);

/** Mapping of the last import with these columns, offered for the next file that has them. */
export const customFieldImportMappings = pgTable(
  "custom_field_import_mappings",
  {
    partnerId: ofPartner(),
    source: text("source").notNull(),
    fingerprint: text("fingerprint").notNull(),
    mapping: jsonb("mapping").notNull(),
    uses: count("uses").notNull().default(1),
    updatedAt: updatedAt(),
  },
  (t) => [primaryKey({ name: "custom_field_import_mappings_pkey", columns: [t.partnerId, t.source, t.fingerprint] })],
);
