/** A role's name by its API value: "org_admin" as "Org admin". Without an import, because the first page loads it. */
export const roleName = (role: string): string => role.charAt(0).toUpperCase() + role.slice(1).replace("_", " ");

const READS = "Reads the audit log, devices and custom fields, and alerts.";
const READS_LIVE = `${READS.slice(0, -1)}; queries live event logs. Changes nothing.`;
/** A description of each role, for the person who gives it. */
export const ROLE_MEANS: Record<string, string> = {
  org_admin: "Everything in one organization: users, keys, devices, retention, exports, streams and alerts.",
  org_technician: READS_LIVE,
  org_viewer: `${READS} Changes nothing.`,
  partner_admin: "Everything in the organizations that they have access to; with access to all, also new ones.",
  partner_technician: READS_LIVE,
  partner_viewer: `${READS} Changes nothing.`,
};

export const ORG_ROLES = ["org_admin", "org_technician", "org_viewer"] as const;
export const PARTNER_ROLES = ["partner_admin", "partner_technician", "partner_viewer"] as const;

export const roleOptions = (roles: readonly string[]) => roles.map((value) => ({ value, label: roleName(value) }));
