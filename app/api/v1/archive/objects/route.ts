import { route } from "@/server/doors/http/route";
import { listObjects } from "@/server/notify/streams/archive/objects";

export const GET = route(listObjects, {
  summary: "The objects that archives hold of the caller's entries, newest entries first",
  auth: "user",
});
