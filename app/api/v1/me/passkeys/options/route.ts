import { route } from "@/server/doors/http/route";
import { beginPasskey } from "@/server/identity/me/two-factor/two-factor";

export const POST = route(beginPasskey, {
  summary: "What a browser needs to create a passkey",
  auth: "user",
  body: "none",
  errors: ["step_up_required"],
});
