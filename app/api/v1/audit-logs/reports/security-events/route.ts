import { reportSecurityEvents } from "@/server/audit/entries/reports/reports";
import { route } from "@/server/doors/http/route";

export const GET = route(reportSecurityEvents, { summary: "Sign-ins, permission and policy changes.", auth: "user" });
