import { route } from "@/server/doors/http/route";
import { createStream, listStreams } from "@/server/notify/streams/streams";

export const GET = route(listStreams, {
  summary: "The streams that carry entries of the caller's organizations, newest first, with their state and lag",
  auth: "user",
});

export const POST = route(createStream, {
  summary: "Add a stream as a draft, which a check starts; a signing secret is shown once, in this response",
  auth: "user",
  status: 201,
});
