/** Permissions and default roles of the wire contract. */
export const PERMISSIONS = [
  "audit:read",
  "audit:stream",
  "audit:export",
  "audit:manage",
  "audit:write",
  "streams:manage",
  "devices:read",
  "devices:live",
  "custom_fields:read",
  "custom_fields:manage",
  "custom_fields:import",
  "detections:read",
  "detections:respond",
  "detections:manage",
  "organizations:manage",
  "users:manage",
  "api_keys:manage",
  "agents:enroll",
] as const;
export type Permission = (typeof PERMISSIONS)[number];
export const PERMISSION_LABEL: Readonly<Record<Permission, string>> = {
  "audit:read": "Read the audit log",
  "audit:stream": "Follow the audit log",
  "audit:export": "Export the audit log",
  "audit:manage": "Change audit retention and webhooks",
  "audit:write": "Write audit entries",
  "streams:manage": "Manage data streams",
  "devices:read": "Read devices and their logs",
  "devices:live": "Query live event logs",
  "custom_fields:read": "Read custom fields",
  "custom_fields:manage": "Change custom fields",
  "custom_fields:import": "Import custom fields",
  "detections:read": "Read alerts and detection rules",
  "detections:respond": "Acknowledge and close alerts",
  "detections:manage": "Change detection rules",
  "organizations:manage": "Manage organizations",
  "users:manage": "Manage users",
  "api_keys:manage": "Manage API keys",
  "agents:enroll": "Enroll agents",
};
/** Reading the log implies following it; changing rules implies answering their alerts. */
const IMPLIED_BY: { [P in Permission]?: Permission } = {
  "audit:stream": "audit:read",
  "detections:read": "audit:read",
  "detections:respond": "detections:manage",
};

/** True if permissions include one, directly or by implication. */
export const includesPermission = (permissions: ReadonlySet<Permission>, one: Permission): boolean => {
  const wider = IMPLIED_BY[one];
  return permissions.has(one) || (wider !== undefined && permissions.has(wider));
};
export const isPermission = (text: string): text is Permission => PERMISSIONS.some((one) => one === text);

const ROLES = [
  "org_admin",
  "org_technician",
  "org_viewer",
  "partner_admin",
  "partner_technician",
  "partner_viewer",
  "system_admin",
] as const;
export type Role = (typeof ROLES)[number];

/** Roles assignable over the API; system_admin is only created on the command line. */
export const ASSIGNABLE_ROLES = [
  "org_admin",
  "org_technician",
  "org_viewer",
  "partner_admin",
  "partner_technician",
  "partner_viewer",
] as const;

const READ: Permission[] = ["audit:read", "devices:read", "custom_fields:read"];
/** audit:write is for API keys only, never for a role. */
const ORG_ADMIN: Permission[] = [
  ...READ,
  "audit:export",
  "audit:manage",
  "streams:manage",
  "devices:live",
  "custom_fields:manage",
  "detections:respond",
  "detections:manage",
  "organizations:manage",
  "users:manage",
  "api_keys:manage",
  "agents:enroll",
];

export const ROLE_PERMISSIONS: Record<Role, readonly Permission[]> = {
  org_admin: ORG_ADMIN,
  org_technician: [...READ, "devices:live", "detections:respond"],
  org_viewer: READ,
  partner_admin: [...ORG_ADMIN, "custom_fields:import"],
  partner_technician: [...READ, "devices:live", "detections:respond"],
  partner_viewer: READ,
  system_admin: [...ORG_ADMIN, "custom_fields:import"],
};

/** True for roles over a partner's organizations. */
export const isPartnerRole = (role: Role): boolean => role.startsWith("partner_");
