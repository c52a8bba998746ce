import { revokeEnrollmentKey } from "@/server/enrollment-keys/revoke";
import { route } from "@/server/http/route";

export const DELETE = route(revokeEnrollmentKey, { summary: "Revoke an enrollment key", auth: "user" });
