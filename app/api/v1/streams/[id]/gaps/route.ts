import { route } from "@/server/doors/http/route";
import { listGaps } from "@/server/notify/streams/control";

export const GET = route(listGaps, {
  summary: "Entries that a stream will never carry, and why",
  auth: "user",
});
