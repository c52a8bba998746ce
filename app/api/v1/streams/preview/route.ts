import { route } from "@/server/doors/http/route";
import { previewStream } from "@/server/notify/streams/control";

export const POST = route(previewStream, {
  summary: "The newest three entries of an organization in a stream's format",
  auth: "user",
});
