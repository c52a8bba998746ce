import { feedEntries, feedPage } from "@/server/audit/tail/feed";
import { route } from "@/server/doors/http/route";

export const GET = route(feedEntries, {
  summary: "Entries after a position, oldest first: to follow the log without a miss or a repeat",
  auth: "user",
  produces: ["application/json", "application/x-ndjson"],
  streams: feedPage,
});
