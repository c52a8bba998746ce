/** Permissions and the default roles of the wire contract. */
export const PERMISSIONS = [
  "audit:read",
  "audit:export",
  "audit:manage",
  "audit:write",
  "devices:read",
  "devices:live",
  "custom_fields:read",
  "custom_fields:manage",
  "custom_fields:import",
  "organizations:manage",
  "users:manage",
  "api_keys:manage",
  "agents:enroll",
] as const;
export type Permission = (typeof PERMISSIONS)[number];
/** What each lets one do, as the screen says it. */
export const PERMISSION_LABEL: Readonly<Record<Permission, string>> = {
  "audit:read": "Read the audit log",
  "audit:export": "Export the audit log",
  "audit:manage": "Change audit retention and webhooks",
  "audit:write": "Write audit entries",
  "devices:read": "Read devices and their logs",
  "devices:live": "Query live event logs",
  "custom_fields:read": "Read custom fields",
  "custom_fields:manage": "Change custom fields",
  "custom_fields:import": "Import custom fields",
  "organizations:manage": "Manage organizations",
  "users:manage": "Manage users",
  "api_keys:manage": "Manage API keys",
  "agents:enroll": "Enroll agents",
};
export const isPermission = (text: string): text is Permission => PERMISSIONS.some((one) => one === text);

const ROLES = [
  "org_admin",
  "org_technician",
  "org_viewer",
  "partner_admin",
  "partner_technician",
  "system_admin",
] as const;
export type Role = (typeof ROLES)[number];

/** Roles that a person may be given over the API; system_admin is made only at the command line. */
export const ASSIGNABLE_ROLES = [
  "org_admin",
  "org_technician",
  "org_viewer",
  "partner_admin",
  "partner_technician",
] as const;

const READ: Permission[] = ["audit:read", "devices:read", "custom_fields:read"];
/** audit:write is for API keys only, never for a role. */
const ORG_ADMIN: Permission[] = [
  ...READ,
  "audit:export",
  "audit:manage",
  "devices:live",
  "custom_fields:manage",
  "organizations:manage",
  "users:manage",
  "api_keys:manage",
  "agents:enroll",
];

export const ROLE_PERMISSIONS: Record<Role, readonly Permission[]> = {
  org_admin: ORG_ADMIN,
  org_technician: [...READ, "devices:live"],
  org_viewer: READ,
  partner_admin: [...ORG_ADMIN, "custom_fields:import"],
  partner_technician: [...READ, "devices:live"],
  system_admin: [...ORG_ADMIN, "custom_fields:import"],
};

/** Roles over a partner's organizations rather than one. */
export const isPartnerRole = (role: Role): boolean => role === "partner_admin" || role === "partner_technician";
