import { getAuditEntry } from "@/server/audit/entries/get";
import { entryIdInput, fullEntry } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "One audit entry in the full format.",
  auth: "user",
  permission: "audit:read",
  input: entryIdInput,
  output: fullEntry,
  run: getAuditEntry,
});
