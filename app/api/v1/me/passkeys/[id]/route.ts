import { route } from "@/server/doors/http/route";
import { removePasskey } from "@/server/identity/me/two-factor/two-factor";

export const DELETE = route(removePasskey, {
  summary: "Remove one of the caller's passkeys",
  auth: "user",
  errors: ["step_up_required"],
});
