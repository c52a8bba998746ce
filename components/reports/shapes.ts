import type { Outputs } from "@/components/trpc";

export type Reports = {
  activity: Outputs["audit"]["reportUserActivity"];
  security: Outputs["audit"]["reportSecurityEvents"];
  compliance: Outputs["audit"]["reportCompliance"];
  statistics: Outputs["audit"]["statistics"];
};
