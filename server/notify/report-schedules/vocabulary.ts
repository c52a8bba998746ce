/** The reports that there are, in the order in which the page shows them. */
export const REPORTS = ["activity", "security", "compliance", "statistics"] as const;
export type Report = (typeof REPORTS)[number];
export const REPORT_LABEL: Record<Report, string> = {
  activity: "User activity",
  security: "Security events",
  compliance: "Compliance",
  statistics: "Statistics",
};
