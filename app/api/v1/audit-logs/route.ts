import { listFlatEntries } from "@/server/audit/entries/list";
import { route } from "@/server/doors/http/route";

export const GET = route(listFlatEntries, {
  note: "The specification's flat list for its viewer; GET /audit-logs/logs has every member of an entry and is the one to write against.",
  summary: "Audit entries, newest first, in the flat format of the viewer.",
  auth: "user",
});
