import { listFlatEntries } from "@/server/audit/entries/list";
import { route } from "@/server/doors/http/route";

export const GET = route(listFlatEntries, {
  summary: "Audit entries, newest first, in the flat format of the viewer.",
  auth: "user",
});
