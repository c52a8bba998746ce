import { listFullEntries } from "@/server/audit/entries/list";
import { route } from "@/server/doors/http/route";

export const GET = route(listFullEntries, {
  summary: "Audit entries, newest first, in the full format.",
  auth: "user",
});
