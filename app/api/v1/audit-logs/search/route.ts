import { searchEntries } from "@/server/audit/entries/list";
import { route } from "@/server/doors/http/route";

export const GET = route(searchEntries, {
  note: "The specification's search for one phrase; `q` of GET /audit-logs/logs takes words and phrases.",
  summary: "Full-text search over audit entries, newest first, together with the common filters.",
  auth: "user",
});
