import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { type AuditEvent, record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/context";
import type { ImportRecord } from "@/server/custom-fields/import/find-import";
import type { RunReport, UndoReport } from "@/server/custom-fields/import/schema";

/** Of the written values, how many their devices hold now: counted from the tables, not from what was meant. */
export async function readBack(
  tx: Tx,
  importId: string,
  fieldIds: readonly string[],
): Promise<NonNullable<RunReport["readBack"]>> {
  if (fieldIds.length === 0) return [];
  const counts = fieldIds.map(
    (id) => sql`count(*) FILTER (WHERE c.written ? ${id}),
      count(*) FILTER (WHERE c.written ? ${id} AND COALESCE(v."values" -> ${id}::text, 'null') = c.written -> ${id}::text)`,
  );
  const [row] = await tx.execute<{ counts: number[] }>(sql`
    SELECT jsonb_build_array(${sql.join(counts, sql`, `)}) AS counts
    FROM custom_field_import_changes c LEFT JOIN custom_field_values v ON v.device_id = c.device_id
    WHERE c.import_id = ${importId}::uuid`);
  const counted = row?.counts ?? [];
  return fieldIds.map((fieldId, i) => ({ fieldId, written: counted[2 * i] ?? 0, found: counted[2 * i + 1] ?? 0 }));
}

/** The same event, the same id: when a kill makes us record it twice, the audit log keeps one. */
function eventId(...parts: string[]): string {
  const hex = createHash("sha256").update(parts.join("\0")).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

type Touched = { org: string; devices: number; fields: Record<string, number> };

/** Per organization: how many devices an import changed, and how many values of which field. */
async function touchedOrganizations(tx: Tx, importId: string): Promise<readonly Touched[]> {
  return tx.execute<Touched>(sql`
    SELECT t.org, t.devices, f.fields FROM (
      SELECT org_id AS org, count(*)::int AS devices FROM custom_field_import_changes
      WHERE import_id = ${importId}::uuid AND written <> '{}' GROUP BY org_id
    ) t JOIN (
      SELECT org, jsonb_object_agg(key, n) AS fields FROM (
        SELECT c.org_id AS org, COALESCE(d.field_key, k.id) AS key, count(*) AS n
        FROM custom_field_import_changes c CROSS JOIN LATERAL jsonb_object_keys(c.written) k(id)
        LEFT JOIN custom_field_definitions d ON d.id = k.id::uuid
        WHERE c.import_id = ${importId}::uuid GROUP BY 1, 2
      ) n GROUP BY org
    ) f USING (org)`);
}

type Kind = "finish" | "undo";

/**
 * Records what a run or an undo has done: once for the partner, and once for every organization it touched, with
 * counts and never with values.
 */
export async function auditOutcome(
  tx: Tx,
  ctx: Ctx,
  found: ImportRecord,
  kind: Kind,
  report: RunReport | UndoReport,
): Promise<void> {
  const name = found.files
    .map((file) => file.name)
    .join(", ")
    .slice(0, 255);
  const once = (event: AuditEvent) =>
    record(ctx, { ...event, id: eventId(found.id, kind, event.orgId ?? "", String(found.jobStartedAt?.getTime())) });
  const organizations = await touchedOrganizations(tx, found.id);
  for (const { org, devices, fields } of organizations)
    once({
      action: "device.custom_fields.update",
      orgId: org,
      resourceType: "custom_field_import",
      resourceId: found.id,
      resourceName: name,
      details: { importId: found.id, source: found.source, undo: kind === "undo", devices, values: fields },
    });
  once({
    action: kind === "undo" ? "custom_fields.import.undo" : "custom_fields.import.finish",
    orgId: ctx.homeOrgId,
    resourceType: "custom_field_import",
    resourceId: found.id,
    resourceName: name,
    details: { source: found.source, cancelled: found.cancelRequested, organizations: organizations.length, ...report },
  });
}
