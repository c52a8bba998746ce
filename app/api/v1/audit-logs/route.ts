import { listFlatEntries } from "@/server/audit/entries/list";
import { flatPage, listInput } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Audit entries, newest first, in the flat format of the viewer.",
  auth: "user",
  permission: "audit:read",
  input: listInput,
  output: flatPage,
  run: listFlatEntries,
});
