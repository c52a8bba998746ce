import {
  Bell,
  BookOpen,
  Building2,
  Cable,
  ChartNoAxesColumn,
  FileCode2,
  Hourglass,
  KeyRound,
  ListChecks,
  type LucideIcon,
  Monitor,
  ScrollText,
  ShieldCheck,
  Ticket,
  User,
  Users,
} from "lucide-react";
import type { Permission } from "@/server/ground/permissions";

type NavItem = {
  href: string;
  label: string;
  icon: LucideIcon;
  permission?: Permission;
  /** Hidden from users of a single organization, or shown to them alone. */
  only?: "partners" | "organizations";
};
export type NavGroup = { label: string | null; items: NavItem[] };

/** The pages in navigation order. An item with a permission is only shown to users who have it. */
export const navGroups: NavGroup[] = [
  {
    label: null,
    items: [
      { href: "/", label: "Audit log", icon: ScrollText, permission: "audit:read" },
      {
        href: "/organizations",
        label: "Organizations",
        icon: Building2,
        permission: "audit:read",
        only: "partners",
      },
      {
        href: "/organizations",
        label: "Organization",
        icon: Building2,
        permission: "audit:read",
        only: "organizations",
      },
      { href: "/alerts", label: "Alerts", icon: Bell, permission: "audit:read" },
      { href: "/integrity", label: "Integrity", icon: ShieldCheck, permission: "audit:read" },
      { href: "/reports", label: "Reports", icon: ChartNoAxesColumn, permission: "audit:read" },
      { href: "/devices", label: "Devices", icon: Monitor, permission: "devices:read" },
      { href: "/scripts", label: "Scripts", icon: FileCode2 },
    ],
  },
  {
    label: "Settings",
    items: [
      { href: "/settings/users", label: "Users", icon: Users, permission: "users:manage" },
      { href: "/settings/api-keys", label: "API keys", icon: KeyRound, permission: "api_keys:manage" },
      { href: "/settings/enrollment", label: "Enrollment", icon: Ticket, permission: "agents:enroll" },
      { href: "/settings/custom-fields", label: "Custom fields", icon: ListChecks, permission: "custom_fields:read" },
      { href: "/settings/retention", label: "Retention", icon: Hourglass, permission: "audit:read" },
      { href: "/settings/detections", label: "Detection rules", icon: ListChecks, permission: "audit:read" },
      { href: "/settings/streams", label: "Data streams", icon: Cable, permission: "streams:manage" },
      { href: "/settings/notifications", label: "Notifications", icon: Bell, permission: "audit:read" },
    ],
  },
  { label: "Developers", items: [{ href: "/docs", label: "API reference", icon: BookOpen }] },
];

export const isVisibleTo = ({ permission, only }: NavItem, me: { permissions: string[]; scope: string }): boolean =>
  (!permission || me.permissions.includes(permission)) &&
  (!only || (only === "organizations") === (me.scope === "organization"));

/** The setup checklist: in the account menu and palette of administrators. */
export const startItem: NavItem = {
  href: "/start",
  label: "Getting started",
  icon: ListChecks,
  permission: "organizations:manage",
  only: "partners",
};

/** The user's own page: in the account menu and palette, not in the navigation. */
export const accountItem: NavItem = { href: "/account", label: "Your account", icon: User };
