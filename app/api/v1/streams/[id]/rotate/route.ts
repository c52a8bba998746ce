import { route } from "@/server/doors/http/route";
import { rotateStream } from "@/server/notify/streams/streams";

export const POST = route(rotateStream, {
  summary: "Replace a stream's secret; one that is chosen here is shown once, in this response",
  auth: "user",
  body: "optional",
  idempotent: true,
});
