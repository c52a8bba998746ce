import { FILTERS } from "@/server/audit/query/catalogue";
import type { AuditFilter } from "@/server/audit/query/conditions";
import type { AuditEvent } from "@/server/audit/record/record";

/** What was exported, as the audit entry of the export has it. */
function detailsOf(format: string, { from, to, ...filters }: AuditFilter) {
  const one = Object.entries(filters).map(([name, value]) =>
    Array.isArray(value) && value.length === 1 && name in FILTERS ? [name, value[0]] : [name, value],
  );
  const dateRange = { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null };
  return { format, filters: JSON.parse(JSON.stringify(Object.fromEntries(one))), dateRange };
}

type Exported = {
  format: string;
  filter: AuditFilter;
  /** How many rows left, by organization; none where nothing was found. */
  rowsPerOrg: ReadonlyMap<string, number>;
  /** Why it ended before it was complete. */
  failure?: string | undefined;
  more?: Record<string, unknown>;
};

/** The audit entries of an export: one for each organization whose rows left; for one that found nothing, the caller's own. */
export function exportEvents({ format, filter, rowsPerOrg, failure, more }: Exported): AuditEvent[] {
  const about = detailsOf(format, filter);
  const targets: [string | undefined, number][] = rowsPerOrg.size > 0 ? [...rowsPerOrg] : [[undefined, 0]];
  return targets.map(([orgId, rows]) => ({
    action: "audit_logs.export",
    ...(orgId ? { orgId } : {}),
    resourceType: "audit_log",
    resourceName: "Audit log",
    details: { ...about, rows, ...more },
    result: failure === undefined ? "success" : "failure",
    ...(failure === undefined ? {} : { errorMessage: failure }),
  }));
}
