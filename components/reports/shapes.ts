import type { Outputs } from "@/components/trpc";

export type Reports = {
  activity: Outputs["audit"]["reportUserActivity"];
  security: Outputs["audit"]["reportSecurityEvents"];
  compliance: Outputs["audit"]["reportCompliance"];
  statistics: Outputs["audit"]["statistics"];
};
export const KINDS = ["activity", "security", "compliance", "statistics"] as const;
export type Kind = (typeof KINDS)[number];

export const KIND_LABEL: Record<Kind, string> = {
  activity: "User activity",
  security: "Security events",
  compliance: "Compliance",
  statistics: "Statistics",
};
