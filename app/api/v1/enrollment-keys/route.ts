import { createEnrollmentKey } from "@/server/enrollment-keys/create";
import { listEnrollmentKeys } from "@/server/enrollment-keys/list";
import { route } from "@/server/http/route";

export const GET = route(listEnrollmentKeys, {
  summary: "The enrollment keys of the caller's organizations, newest first",
  auth: "user",
});

export const POST = route(createEnrollmentKey, {
  summary: "Create an enrollment key; the key is shown once, in this response",
  auth: "user",
  status: 201,
});
