/** Role names by their API values. */
export const ROLE_LABEL: Record<string, string> = {
  org_admin: "Org admin",
  org_technician: "Org technician",
  org_viewer: "Org viewer",
  partner_admin: "Partner admin",
  partner_technician: "Partner technician",
  system_admin: "System admin",
};

export const ORG_ROLES = ["org_admin", "org_technician", "org_viewer"] as const;
export const PARTNER_ROLES = ["partner_admin", "partner_technician"] as const;

/** Roles as select options. */
export const roleOptions = (roles: readonly string[]) =>
  roles.map((value) => ({ value, label: ROLE_LABEL[value] ?? value }));
