import { route } from "@/server/doors/http/route";
import { verifyObject } from "@/server/notify/streams/archive/objects";

export const POST = route(verifyObject, {
  summary: "Read an archived object and its manifest from the store again, and check each entry",
  auth: "user",
  body: "none",
});
