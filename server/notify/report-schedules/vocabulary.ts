/** Reports in page order. */
export const REPORTS = ["activity", "security", "compliance", "statistics"] as const;
export type Report = (typeof REPORTS)[number];
export const REPORT_LABEL: Record<Report, string> = {
  activity: "User activity",
  security: "Security events",
  compliance: "Compliance",
  statistics: "Statistics",
};
