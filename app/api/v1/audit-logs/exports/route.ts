import { route } from "@/server/doors/http/route";
import { createExport, listExports } from "@/server/exports/exports";

export const GET = route(listExports, { summary: "The caller's background exports, newest first", auth: "user" });

export const POST = route(createExport, {
  summary: "Export every entry that matches the filters, in the background, to a file that is kept for a day",
  auth: "user",
  status: 202,
});
