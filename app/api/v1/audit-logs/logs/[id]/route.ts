import { getAuditEntry } from "@/server/audit/entries/get";
import { route } from "@/server/doors/http/route";

export const GET = route(getAuditEntry, { summary: "One audit entry in the full format.", auth: "user" });
