import { route } from "@/server/doors/http/route";
import { listRestorations, restoreArchive } from "@/server/notify/streams/archive/restore";

export const GET = route(listRestorations, {
  summary: "The archived ranges that are restored beside the log at the moment, newest first",
  auth: "user",
});

export const POST = route(restoreArchive, {
  summary: "Read a range of archived entries back for 24 hours, beside the log, in the background",
  auth: "user",
  status: 202,
});
