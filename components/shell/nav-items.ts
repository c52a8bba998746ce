import { Building2, KeyRound, type LucideIcon, MonitorSmartphone, ScrollText, Ticket, Users } from "lucide-react";

export type NavItem = { href: string; label: string; icon: LucideIcon; permission?: string };
export type NavGroup = { label: string | null; items: NavItem[] };

/** The pages in the order of the navigation. An item with a permission is shown to those who hold it. */
export const navGroups: NavGroup[] = [
  {
    label: null,
    items: [
      { href: "/", label: "Audit log", icon: ScrollText, permission: "audit:read" },
      { href: "/devices", label: "Devices", icon: MonitorSmartphone, permission: "devices:read" },
    ],
  },
  {
    label: "Settings",
    items: [
      { href: "/settings/organizations", label: "Organizations", icon: Building2, permission: "organizations:manage" },
      { href: "/settings/users", label: "Users", icon: Users, permission: "users:manage" },
      { href: "/settings/api-keys", label: "API keys", icon: KeyRound, permission: "api_keys:manage" },
      { href: "/settings/enrollment", label: "Enrollment", icon: Ticket, permission: "agents:enroll" },
    ],
  },
];
