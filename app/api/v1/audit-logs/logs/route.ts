import { listLog } from "@/server/audit/tail/feed";
import { route } from "@/server/doors/http/route";

export const GET = route(listLog, {
  note: "The list to write against: every member of an entry, cursors, and by position with afterSeq.",
  summary: "Audit entries, newest first, in the full format.",
  auth: "user",
});
