import { getAuditEntry } from "@/server/audit/entries/get";
import { route } from "@/server/http/route";

export const GET = route(getAuditEntry, { summary: "One audit entry in the full format.", auth: "user" });
