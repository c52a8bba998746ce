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
