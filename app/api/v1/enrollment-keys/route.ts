import { createEnrollmentKey } from "@/server/enrollment-keys/create";
import { listEnrollmentKeys } from "@/server/enrollment-keys/list";
import { createdEnrollmentKey, createInput, enrollmentKeyPage, listInput } from "@/server/enrollment-keys/schema";
import { route } from "@/server/http/route";

export const GET = route({
  summary: "The enrollment keys of the caller's organizations, newest first",
  auth: "user",
  permission: "agents:enroll",
  input: listInput,
  output: enrollmentKeyPage,
  run: listEnrollmentKeys,
});

export const POST = route({
  summary: "Make an enrollment key; the key is shown once, in this answer",
  auth: "user",
  permission: "agents:enroll",
  input: createInput,
  output: createdEnrollmentKey,
  status: 201,
  run: createEnrollmentKey,
});
