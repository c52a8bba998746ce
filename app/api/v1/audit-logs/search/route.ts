import { searchEntries } from "@/server/audit/entries/list";
import { route } from "@/server/doors/http/route";

export const GET = route(searchEntries, {
  summary: "Full-text search over audit entries, newest first, together with the common filters.",
  auth: "user",
});
