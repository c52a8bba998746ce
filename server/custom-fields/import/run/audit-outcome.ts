import type { Tx } from "@/db/client";
import { type AuditEvent, record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { partnerDefinitions } from "@/server/custom-fields/import/map/default-plan";
import type { RunReport } from "@/server/custom-fields/import/outcome-schema";
import { fileNames, type ImportRecord } from "@/server/custom-fields/import/record";
import type { ChangedByOrg, UndoReport } from "@/server/custom-fields/import/schema";
import type { Ctx } from "@/server/ground/context";
import { idFrom } from "@/server/ground/ids";

/**
 * changed: changes of this piece of work. cancelled: rows are left; work cancelled after its last row is complete.
 * problem: reason that it is incomplete.
 */
type Outcome = ({ kind: "finish"; report: RunReport } | { kind: "undo"; report: UndoReport }) & {
  changed: ChangedByOrg;
  cancelled: boolean;
  problem: string | undefined;
};

/**
 * Records the result of a run or undo: once for the partner, and once for every affected organization, with counts and
 * never values.
 */
export async function auditOutcome(
  tx: Tx,
  ctx: Ctx,
  { found, kind, report, changed, cancelled, problem }: Outcome & { found: ImportRecord },
): Promise<void> {
  const name = fileNames(found);
  // The same event gets the same id, so that it appears once even if recorded again after a kill.
  const once = (event: AuditEvent) =>
    record(ctx, { ...event, id: idFrom(found.id, kind, event.orgId ?? "", String(found.jobStartedAt?.getTime())) });
  const definitions = await partnerDefinitions(tx, found.partnerId);
  const fields = found.plan?.fields ?? [];
  // The key of a field deleted since comes from the plan.
  const keyOf = (fieldId: string) =>
    (definitions.find(({ id }) => id === fieldId) ?? fields.find((field) => field.fieldId === fieldId))?.fieldKey ??
    fieldId;
  for (const [orgId, { devices, values }] of Object.entries(changed))
    once({
      action: "device.custom_fields.update",
      orgId,
      // Sentence: "changed custom fields of 86 devices (import.csv)".
      ...resourceOf("custom_field_import", {
        id: found.id,
        name: `${devices.toLocaleString("en")} ${devices === 1 ? "device" : "devices"} (${name})`,
      }),
      details: {
        importId: found.id,
        source: found.source,
        undo: kind === "undo",
        devices,
        // A list, because counts under keys of secret fields would be masked.
        values: Object.entries(values).map(([fieldId, count]) => ({ field: keyOf(fieldId), count })),
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
