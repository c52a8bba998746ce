import { searchEntries } from "@/server/audit/entries/search";
import { searchInput, searchPage } from "@/server/audit/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "Full-text search over audit entries, newest first, together with the common filters.",
  auth: "user",
  permission: "audit:read",
  input: searchInput,
  output: searchPage,
  run: searchEntries,
});
