import { route } from "@/server/doors/http/route";
import { listBatches } from "@/server/notify/streams/control";

export const GET = route(listBatches, {
  summary: "The batches of a stream, newest first",
  auth: "user",
});
