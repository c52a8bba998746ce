import { route } from "@/server/doors/http/route";
import { checkStream } from "@/server/notify/streams/control";

export const POST = route(checkStream, {
  summary: "Try a stream's destination step by step; success starts a draft or a blocked stream",
  auth: "user",
  body: "optional",
});
