import { route } from "@/server/doors/http/route";
import { getStream, removeStream, updateStream } from "@/server/notify/streams/streams";

export const GET = route(getStream, { summary: "A stream with its state and lag", auth: "user" });

export const PATCH = route(updateStream, {
  summary: "Change a stream's name, settings, format, filter, hold or lock",
  auth: "user",
});

export const DELETE = route(removeStream, { summary: "Delete a stream with its batches", auth: "user" });
