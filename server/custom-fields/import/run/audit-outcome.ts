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
  // The same event has the same id: recorded twice after a kill, it appears in the audit log once.
  const once = (event: AuditEvent) =>
    record(ctx, { ...event, id: idFrom(found.id, kind, event.orgId ?? "", String(found.jobStartedAt?.getTime())) });
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
      // The sentence reads "changed custom fields of 86 devices (import.csv)".
      ...resourceOf("custom_field_import", {
        id: found.id,
        name: `${devices.toLocaleString("en")} ${devices === 1 ? "device" : "devices"} (${name})`,
      }),
      details: {
        importId: found.id,
        source: found.source,
        undo: kind === "undo",
        devices,
        // A list: as members, the keys of secret fields would have their counts masked.
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
