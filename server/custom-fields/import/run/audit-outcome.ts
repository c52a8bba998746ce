import { createHash } from "node:crypto";
import type { Tx } from "@/db/client";
import { type AuditEvent, record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { partnerDefinitions } from "@/server/custom-fields/import/map/default-plan";
import type { RunReport } from "@/server/custom-fields/import/outcome-schema";
import { fileNames, type ImportRecord } from "@/server/custom-fields/import/record";
import type { ChangedByOrg, UndoReport } from "@/server/custom-fields/import/schema";
import type { Ctx } from "@/server/ground/context";

/** The same event has the same id: recorded twice after a kill, it appears in the audit log once. */
function eventId(...parts: string[]): string {
  const hex = createHash("sha256").update(parts.join("\0")).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * changed: what this piece of work has changed. cancelled: whether rows are left; one that is cancelled after its last row
 * is complete. problem: why it is not, where it did not do what it was to do.
 */
type Outcome = ({ kind: "finish"; report: RunReport } | { kind: "undo"; report: UndoReport }) & {
  changed: ChangedByOrg;
  cancelled: boolean;
  problem: string | undefined;
};

/**
 * Records what a run or an undo has done: once for the partner, and once for every organization it touched, with
 * counts and never with values.
 */
export async function auditOutcome(
  tx: Tx,
  ctx: Ctx,
  { found, kind, report, changed, cancelled, problem }: Outcome & { found: ImportRecord },
): Promise<void> {
  const name = fileNames(found);
  const once = (event: AuditEvent) =>
    record(ctx, { ...event, id: eventId(found.id, kind, event.orgId ?? "", String(found.jobStartedAt?.getTime())) });
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const fields = found.plan?.fields ?? [];
  // A field that has been deleted since had its key from the plan.
  const keyOf = (fieldId: string) =>
    (definitions.find(({ id }) => id === fieldId) ?? fields.find((field) => field.fieldId === fieldId))?.fieldKey ??
    fieldId;
  for (const [orgId, { devices, values }] of Object.entries(changed))
    once({
      action: "device.custom_fields.update",
      orgId,
      ...resourceOf("custom_field_import", { id: found.id, name }),
      details: {
        importId: found.id,
        source: found.source,
        undo: kind === "undo",
        devices,
        values: Object.fromEntries(Object.entries(values).map(([fieldId, count]) => [keyOf(fieldId), count])),
      },
    });
  once({
    action: kind === "undo" ? "custom_fields.import.undo" : "custom_fields.import.finish",
    orgId: ctx.homeOrgId,
    ...resourceOf("custom_field_import", { id: found.id, name }),
    ...(problem === undefined ? {} : { result: "failure", errorMessage: problem }),
    details: { source: found.source, cancelled, organizations: Object.keys(changed).length, ...report },
  });
}
