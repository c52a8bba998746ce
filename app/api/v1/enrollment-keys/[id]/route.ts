import { revokeEnrollmentKey } from "@/server/enrollment-keys/revoke";
import { route } from "@/server/http/route";
import { idInput } from "@/server/organizations/schema";

export const DELETE = route({
  summary: "Revoke an enrollment key",
  auth: "user",
  permission: "agents:enroll",
  input: idInput,
  output: "empty",
  run: revokeEnrollmentKey,
});
