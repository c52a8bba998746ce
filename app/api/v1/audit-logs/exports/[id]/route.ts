import { route } from "@/server/doors/http/route";
import { getExport, removeExport } from "@/server/exports/exports";

export const GET = route(getExport, {
  summary: "One of the caller's background exports, with its progress",
  auth: "user",
});

export const DELETE = route(removeExport, {
  summary: "Cancel a background export, or delete it with its file",
  auth: "user",
});
