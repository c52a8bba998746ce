import { route } from "@/server/http/route";
import { removePasskey } from "@/server/me/two-factor/passkeys";

export const DELETE = route(removePasskey, {
  summary: "Remove one of the caller's passkeys",
  auth: "user",
  errors: ["step_up_required"],
});
