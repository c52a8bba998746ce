import { route } from "@/server/doors/http/route";
import { revokeEnrollmentKey } from "@/server/identity/enrollment-keys/enrollment-keys";

export const DELETE = route(revokeEnrollmentKey, { summary: "Revoke an enrollment key", auth: "user" });
