import { listFullEntries } from "@/server/audit/entries/list";
import { fullPage, listInput } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Audit entries, newest first, in the full format.",
  auth: "user",
  permission: "audit:read",
  input: listInput,
  output: fullPage,
  run: listFullEntries,
});
