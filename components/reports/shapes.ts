import type { FullEntry } from "@/server/audit/schema";

/** Spec, Limits: report rows read. */
export const MAX_REPORT_ROWS = 5_000;

type Report = { totalEvents: number; truncated: boolean };
type Counted = { action: string; count: number }[];
export type ActiveUser = {
  userId: string;
  userName: string;
  userEmail: string;
  actionCount: number;
  lastActiveAt: string;
};

/** Spec, Report response shapes. */
export type Reports = {
  activity: Report & {
    totalUsers: number;
    actionsPerUser: ActiveUser[];
    topUsers: ActiveUser[];
    recentActivity: FullEntry[];
  };
  security: Report & {
    loginAttempts: number;
    failedLogins: number;
    permissionChanges: number;
    byAction: Counted;
    recentEvents: FullEntry[];
  };
  compliance: Report & {
    dataAccess: number;
    dataChanges: number;
    exports: number;
    byAction: Counted;
    recentEvents: FullEntry[];
  };
  statistics: Report & {
    byCategory: { category: string; count: number }[];
    byUser: { userId: string; userName: string; actionCount: number }[];
    range: { from: string | null; to: string | null };
  };
};
export const KINDS = ["activity", "security", "compliance", "statistics"] as const;
export type Kind = (typeof KINDS)[number];

export const PATH: Record<Kind, string> = {
  activity: "reports/user-activity",
  security: "reports/security-events",
  compliance: "reports/compliance",
  statistics: "stats",
};
export const KIND_LABEL: Record<Kind, string> = {
  activity: "User activity",
  security: "Security events",
  compliance: "Compliance",
  statistics: "Statistics",
};
