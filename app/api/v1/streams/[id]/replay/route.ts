import { route } from "@/server/doors/http/route";
import { replayStream } from "@/server/notify/streams/control";

export const POST = route(replayStream, {
  summary: "Send a part of one organization's log again, beside the live position",
  auth: "user",
  status: 202,
});
