import { createException, listExceptions } from "@/server/detections/exceptions";
import { route } from "@/server/doors/http/route";

export const GET = route(listExceptions, { summary: "Exceptions to detection rules, newest first", auth: "user" });

export const POST = route(createException, {
  summary: "Have a detection rule leave entries alone, until a time or for good",
  auth: "user",
  status: 201,
});
