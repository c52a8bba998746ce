import { route } from "@/server/doors/http/route";
import { createEnrollmentKey, listEnrollmentKeys } from "@/server/identity/enrollment-keys/enrollment-keys";

export const GET = route(listEnrollmentKeys, {
  summary: "The enrollment keys of the caller's organizations, newest first",
  auth: "user",
});

export const POST = route(createEnrollmentKey, {
  summary: "Create an enrollment key; the key is shown once, in this response",
  auth: "user",
  status: 201,
});
