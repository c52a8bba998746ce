import { route } from "@/server/doors/http/route";
import { listRestored } from "@/server/notify/streams/archive/restore";

export const GET = route(listRestored, {
  summary: "Entries of a restored range, newest first; they are copies and no part of the log",
  auth: "user",
});
