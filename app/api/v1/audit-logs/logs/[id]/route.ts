import { getAuditEntry } from "@/server/audit/entries/get";
import { fullEntry } from "@/server/audit/schema";
import { route } from "@/server/http/route";
import { idInput } from "@/server/wire";

export const GET = route({
  summary: "One audit entry in the full format.",
  auth: "user",
  permission: "audit:read",
  input: idInput,
  output: fullEntry,
  run: getAuditEntry,
});
