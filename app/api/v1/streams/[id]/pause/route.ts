import { route } from "@/server/doors/http/route";
import { pauseStream } from "@/server/notify/streams/control";

export const POST = route(pauseStream, {
  summary: "Pause a stream; nothing is lost meanwhile",
  auth: "user",
  body: "none",
});
