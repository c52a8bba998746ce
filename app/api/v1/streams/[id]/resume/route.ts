import { route } from "@/server/doors/http/route";
import { resumeStream } from "@/server/notify/streams/control";

export const POST = route(resumeStream, {
  summary: "Resume a stream where it stood",
  auth: "user",
  body: "none",
});
